import type { Context, GlobalFlags } from "../../input/context.js";
import { usageError } from "../../errors/usage-errors.js";
import { resolveDatabaseAccess, type DatabaseAccess } from "../../postgres/database-access.js";
import { requireClientProgram } from "../../postgres/client-programs.js";
import { buildClientEnvironment } from "../../postgres/connection-environment.js";
import { type DumpInput, openDump } from "../../dumps/dump-input.js";
import { startClient } from "../../postgres/start-client.js";
import { scanScript } from "../../dumps/run-script.js";
import { confirmDatabaseChange } from "../../dumps/confirm-database-change.js";
import { runExaminedScript } from "../../dumps/run-examined-script.js";
import { printRestoreResult } from "./restore-result.js";

export interface SeedFlags {
  /** Path, or `-` for standard input. */
  readonly file: string;
  /** Whether psql runs the file, with its own commands. */
  readonly allowMetaCommands?: boolean;
}

/** Runs a script of SQL on a database, in one transaction. */
export const runSeed = async (
  databaseIdOrName: string | undefined,
  { file, allowMetaCommands = false }: SeedFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const input = await openDump(file, context);
  try {
    if (input.format !== "script") throw usageError(`${file} is a dump, not SQL`, "Use mgmt db restore.");
    if (allowMetaCommands && input.descriptor === undefined) {
      throw usageError(`${file} is compressed, which psql cannot read`, "Unpack it first.");
    }
    const scriptInfo = allowMetaCommands
      ? undefined
      : await scanScript(input, metaCommandHint, context.signal);
    const access = await resolveDatabaseAccess(databaseIdOrName, flags, context);
    await confirmDatabaseChange("run SQL on", access, "rows", flags, context, {
      readsStdin: input.path === undefined,
    });
    if (scriptInfo) await runExaminedScript(input, scriptInfo, access, context);
    else await runWithPsql(input, access, context);
    await printRestoreResult("Ran", input, access, scriptInfo ? null : "psql", context);
  } finally {
    await input.close();
  }
};

const metaCommandHint = "If you trust the file, pass --allow-meta-commands: psql then runs it.";

/** Has psql run a script with its own commands. The effects of these commands are not known, nor whether they end the transaction. */
const runWithPsql = async (input: DumpInput, access: DatabaseAccess, context: Context): Promise<void> => {
  const program = await requireClientProgram("psql", context);
  const psqlFlags = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"];
  const { path, descriptor } = input;
  // psql opens the file by its path, so that \\ir finds the files beside it.
  const args = [...psqlFlags, `--file=${path ?? "-"}`];
  const env = buildClientEnvironment(context.env, access);
  // psql reads the descriptor itself. With a pipe, it would mistake the death of this process for the end of the script.
  const stdin = path === undefined ? (descriptor ?? "ignore") : "ignore";
  const stopSpinner = context.output.startSpinner(() => `Writing to ${access.databaseId}`);
  try {
    await startClient(program, args, { env, stdin, stdout: "ignore" }, context).exited;
  } finally {
    stopSpinner();
  }
};
