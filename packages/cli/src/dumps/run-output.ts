import { isDuplicateObject } from "../errors/sqlstate-hints.js";
import type { Context } from "../input/context.js";
import type { DatabaseAccess } from "../postgres/database-access.js";
import { createReplacingAdapter } from "./replacing-adapter.js";
import type { RunningClient } from "../postgres/start-client.js";
import { runScript } from "./run-script.js";
import { runInOneTransaction } from "./one-transaction.js";

/** Options for running the SQL that a program writes. */
export interface ProgramOutputOptions {
  /** Name of the dump in messages. */
  readonly name: string;
  /** Whether existing objects are dropped first, with those that depend on them. The program must write the statements that drop them. */
  readonly clean: boolean;
  /** Whether the command has `--clean`. */
  readonly canClean: boolean;
  /** Called with the number of bytes of each chunk. */
  readonly onBytes?: (count: number) => void;
}

/** Arguments of pg_dump and pg_restore for SQL. The owners of a dump do not exist in another database. */
export const buildSqlOutputFlags = (clean: boolean): string[] => [
  ...["--no-owner", "--no-privileges"],
  ...(clean ? ["--clean", "--if-exists"] : []),
];

/**
 * Runs the SQL that pg_dump or pg_restore writes, in one transaction, which is committed only if the program succeeds. Nothing that the
 * database responds becomes part of it.
 *
 * @param startProgram starts the program, with a pipe for its output.
 * @throws errors of `runScript`, and the failure of the program; `db:rows_only`.
 */
export const runProgramOutput = async (
  startProgram: () => RunningClient,
  { name, clean, canClean, onBytes }: ProgramOutputOptions,
  access: DatabaseAccess,
  context: Context,
): Promise<void> => {
  let program: RunningClient | undefined;
  const readOutput = async function* (): AsyncGenerator<Uint8Array> {
    // Output from before the first read would be lost if the program ended meanwhile.
    program = startProgram();
    for await (const chunk of program.stdout ?? []) {
      const bytes = chunk as Uint8Array; // Without an encoding, a stream yields only buffers.
      onBytes?.(bytes.length);
      yield bytes;
    }
    // The end of its output does not prove that the program has written all of it.
    await program.exited;
  };
  const suggestsClean = canClean && !clean;
  const getSqlStateHint = (sqlState: string): string | undefined =>
    suggestsClean && isDuplicateObject(sqlState)
      ? "It already has what the dump has: pass --clean to drop that first."
      : undefined;
  const options = {
    isProgramOutput: true,
    getHint: getSqlStateHint,
    ...(clean ? { adapt: createReplacingAdapter(name) } : {}),
  };
  await runInOneTransaction(access, context, async () => {
    try {
      const scriptInfo = { isDump: true, firstTransactionLine: undefined };
      await runScript({ name, readContents: readOutput }, scriptInfo, access, context, options);
    } catch (error) {
      program?.kill();
      await program?.exited.catch(() => undefined);
      throw error;
    }
  });
};
