import type { Context } from "../../input/context.js";
import { CliError } from "../../errors/cli-error.js";

/** Returns why git does not answer, given what a function of this folder threw. Throws anything else, such as an interruption. */
export const gitProblem = (error: unknown, { signal }: Pick<Context, "signal">): CliError => {
  if (!(error instanceof CliError) || signal.aborted) throw error;
  return error;
};
