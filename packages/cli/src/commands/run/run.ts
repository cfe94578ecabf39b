import type { Context, GlobalFlags } from "../../context.js";
import { databaseAccess } from "../../operations/database-url.js";
import { runProgram } from "./run-program.js";

/** Runs a program with the connection string of a database in its environment, and ends with its exit status. */
export const runRun = async (
  { databaseId, name, words }: { databaseId: string | undefined; name: string; words: readonly string[] },
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const [program = "", ...args] = words;
  const { url } = await databaseAccess(databaseId, flags, context);
  await runProgram(program, args, { [name]: url }, context, {
    notFound: "Check its spelling, and that it is in a folder of PATH.",
  });
};
