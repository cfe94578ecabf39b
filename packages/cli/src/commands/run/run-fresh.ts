import type { Context } from "../../input/context.js";
import { assertVariableName } from "../../input/variable-name.js";
import { rejectDash } from "../../input/reject-dash.js";
import { usageError } from "../../errors/usage-errors.js";
import { loadTestDatabases } from "../../platform/load-platform.js";
import { runProgram } from "../../system/run-program.js";

export interface FreshRunOptions {
  readonly fresh: boolean | undefined;
  /** Shell command that fills the database. */
  readonly setup: string | undefined;
  /** Files and patterns that the setup reads. */
  readonly setupFiles: readonly string[] | undefined;
  /** Name of the variable. */
  readonly name: string;
  /** Flags for databases of a service, by their names. */
  readonly others: Readonly<Record<string, unknown>>;
  /** The program and its arguments. */
  readonly commandLine: readonly string[];
}

/**
 * Runs a program with the connection string of a new database on this machine in its environment, drops the database, and ends with the exit
 * status of the program. If this process is killed, the server of the databases drops it.
 */
export const runFresh = async (
  { fresh, setup, setupFiles = [], name, others, commandLine }: FreshRunOptions,
  context: Context,
): Promise<void> => {
  if (!fresh) throw usageError("--setup and --setup-file fill the database of --fresh", "Add --fresh.");
  const [other] = Object.keys(others).filter((flag) => others[flag] !== undefined);
  if (other !== undefined)
    throw usageError(`--fresh and ${other} cannot be used together: the new database belongs to no service`);
  assertVariableName(name);
  for (const pattern of setupFiles) rejectDash("--setup-file", pattern, "file");
  if (setup !== undefined && setup.trim() === "") throw usageError("--setup must not be empty");
  const { createTestDatabases } = await loadTestDatabases(context);
  const databases = createTestDatabases({ setup, files: setupFiles, cwd: context.cwd });
  const database = await Promise.race([databases.take(), rejectOnAbort(context.signal)]);
  try {
    const [program = "", ...args] = commandLine;
    await runProgram(program, args, { [name]: database.connectionString }, context, {
      notFoundHint: "Check its spelling, and that it is in a folder of PATH.",
    });
  } finally {
    await databases.release(database);
  }
};

/** Rejects with the reason of an interruption. */
const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
