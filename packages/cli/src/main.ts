import { CommanderError } from "commander";
import { interrupted } from "./errors.js";
import { exitCodes } from "./exit-codes.js";
import { Sources } from "./input/sources.js";
import { failureOf } from "./output/failure.js";
import { type Format, formats, Output } from "./output/output.js";
import { buildProgram } from "./program/program.js";
import { usageFailure } from "./program/usage-failure.js";

/** What a command line runs in; a process, but for tests. */
export type Surroundings = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env" | "once" | "exit">;

/** Runs one command line and answers what the process ends with. */
export const main = async (
  args: readonly string[],
  version: string,
  surroundings: Surroundings = process,
): Promise<number> => {
  const { stdin, stderr, env } = surroundings;
  const interruption = new AbortController();
  surroundings.once("SIGINT", () => {
    interruption.abort(interrupted());
    // Whoever presses it twice does not want to wait for what is left to be done.
    surroundings.once("SIGINT", () => surroundings.exit(exitCodes.interrupted));
  });
  const { signal } = interruption;
  const output = new Output(formatIn(args), surroundings, env);
  const sources = new Sources(stdin, signal);

  const program = buildProgram({ version, output, env, stdin, stderr, signal, sources });
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return exitCodes.ok;
  } catch (thrown) {
    const error = thrown instanceof CommanderError ? await usageFailure(thrown, program) : thrown;
    if (error === undefined) return exitCodes.ok;
    const failure = await failureOf(error);
    await output.fail(failure);
    return failure.exitCode;
  }
};

/** The format that errors of the command line itself are written in; the command reads the flag properly. */
const formatIn = (args: readonly string[]): Format => {
  const values = args.flatMap((arg, index) => {
    if (arg === "-o" || arg === "--output") return [args[index + 1]];
    return arg.startsWith("--output=") ? [arg.slice("--output=".length)] : [];
  });
  return formats.find((format) => format === values.at(-1)) ?? "table";
};
