import type { Context, GlobalFlags } from "../../input/context.js";
import { assertVariableName } from "../../input/variable-name.js";
import { resolveDatabaseAccess } from "../../postgres/database-access.js";
import { runProgram } from "../../system/run-program.js";

export interface RunOptions {
  readonly databaseId: string | undefined;
  /** Name of the variable. */
  readonly name: string;
  readonly pooled: boolean | undefined;
  /** The program and its arguments. */
  readonly commandLine: readonly string[];
}

/** Runs a program with the connection string of a database in its environment, and ends with its exit status. */
export const runRun = async (
  { databaseId, name, pooled, commandLine }: RunOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  assertVariableName(name);
  const [program = "", ...args] = commandLine;
  const { url } = await resolveDatabaseAccess(databaseId, flags, context, { pooled, flag: "--database-id" });
  await context.output.implicitSettings.announceForChange();
  await runProgram(program, args, { [name]: url }, context, {
    notFoundHint: "Check its spelling, and that it is in a folder of PATH.",
  });
};
