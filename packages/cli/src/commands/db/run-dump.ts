import { randomUUID } from "node:crypto";
import { constants, fstatSync } from "node:fs";
import { type FileHandle, lstat, open, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { Context, GlobalFlags } from "../../input/context.js";
import {
  dumpFileExistsError,
  tableDumpFailedError,
  unwritableDumpError,
} from "../../errors/postgres-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { resolveDatabaseAccess, type DatabaseAccess } from "../../postgres/database-access.js";
import { syncFile } from "@mgmt/internal/files/sync-file";
import { formatBytes } from "../../output/bytes.js";
import type { Output } from "../../output/output.js";
import { requireClientProgram } from "../../postgres/client-programs.js";
import { buildClientEnvironment } from "../../postgres/connection-environment.js";
import { toPostgresDatabase, readServerVersion } from "../../postgres/query.js";
import { type RunningClient, startClient } from "../../postgres/start-client.js";
import {
  type DumpScope,
  buildScopeFlags,
  buildTableFlags,
  toTablePattern,
} from "../../dumps/pg-dump-arguments.js";

export interface DumpFlags extends DumpScope {
  /** Path, or `-` for standard output. */
  readonly file?: string;
  readonly format?: "plain" | "custom";
  readonly table?: readonly string[];
}

/** What `mgmt db dump` prints, unless the dump itself goes to standard output. */
export interface DumpResult {
  readonly databaseId: string;
  /** Path of the file. */
  readonly file: string;
  readonly format: "plain" | "custom";
  readonly bytes: number;
  /** Version of the server. */
  readonly postgresVersion: string;
}

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** Writes the contents of a database to a file, or to standard output. */
export const runDump = async (
  databaseIdOrName: string | undefined,
  {
    file,
    format = /\.(dump|pgdump|custom)$/.test(file ?? "") ? "custom" : "plain",
    table = [],
    ...dumpScope
  }: DumpFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { cwd, output } = context;
  const tables = table.map(toTablePattern);
  const path = file === undefined || file === "-" ? undefined : resolve(cwd, file);
  if (path === undefined) assertPrintable(file, format, output);
  if (path !== undefined && (await entryExists(path))) throw dumpFileExistsError(path);
  const access = await resolveDatabaseAccess(databaseIdOrName, flags, context);
  const serverVersion = await readServerVersion(toPostgresDatabase(access, context), context);
  const program = await requireClientProgram("pg_dump", context, serverVersion);
  const args = [
    `--format=${format}`,
    "--no-owner",
    "--no-privileges",
    ...buildScopeFlags(dumpScope),
    ...buildTableFlags(tables, program.major),
  ];
  const env = buildClientEnvironment(context.env, access);
  const waitForEnd = ({ exited }: RunningClient): Promise<string> =>
    exited.catch((error: unknown) => {
      throw tables.length > 0 ? tableDumpFailedError(error) : error;
    });
  if (path === undefined) {
    const stdout = output.isTerminal ? "pipe" : 1;
    const dumpProcess = startClient(program, args, { env, stdin: "ignore", stdout }, context);
    // How the program ended explains why the stream broke off.
    if (dumpProcess.stdout) await printLines(dumpProcess.stdout, output).catch(() => undefined);
    return announceProgramMessages(await waitForEnd(dumpProcess), context);
  }
  const bytes = await dumpIntoFile(path, access, context, (stdout) =>
    waitForEnd(startClient(program, args, { env, stdin: "ignore", stdout }, context)),
  );
  output.info(`Wrote ${path} (${formatBytes(bytes)}).`);
  const { databaseId } = access;
  const result: DumpResult = {
    databaseId,
    file: path,
    format,
    bytes,
    postgresVersion: serverVersion.version,
  };
  await output.writeResult(result, "DumpResult");
};

/**
 * Throws a usage error for a dump that standard output cannot take.
 *
 * @param file undefined, or `-` if the user has chosen standard output.
 */
const assertPrintable = (
  file: string | undefined,
  format: NonNullable<DumpFlags["format"]>,
  output: Output,
): void => {
  if (file === undefined && output.mightBeJobLog) {
    throw usageError(
      "The dump would be printed into the log of this job, which could carry out rows as commands",
      "Pass --file PATH, or redirect standard output to a file. If a program reads it, pass --file -.",
    );
  }
  if (format === "custom" && output.isTerminal) {
    throw usageError(
      "A dump in the custom format cannot be printed on a terminal",
      "Pass --file PATH, or --format plain.",
    );
  }
};

/** Prints lines of a program, escaped where a terminal would act on them. */
const printLines = async (stream: Readable, output: Output): Promise<void> => {
  let partialLine = "";
  for await (const text of stream.setEncoding("utf8")) {
    const lines = (partialLine + String(text)).split("\n");
    partialLine = lines.pop() ?? "";
    if (lines.length > 0) output.writeExactLines(lines.join("\n"));
  }
  if (partialLine !== "") output.writeExactLines(partialLine);
};

/** Returns whether a path exists. A symbolic link exists even if its target does not. */
const entryExists = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined)) !== undefined;

/** Writes a new file, which gets its name when it is complete and which only this user can read. Returns its size. */
const dumpIntoFile = async (
  path: string,
  { databaseId }: DatabaseAccess,
  context: Context,
  writeDump: (descriptor: number) => Promise<string>,
): Promise<number> => {
  const { output } = context;
  const temporaryPath = `${path}.${randomUUID()}.part`;
  let handle: FileHandle;
  try {
    handle = await open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    throw unwritableDumpError(path, error);
  }
  const { fd } = handle;
  const stopSpinner = output.startSpinner(() => `Dumping ${databaseId}: ${formatBytes(fstatSync(fd).size)}`);
  try {
    const stderr = await writeDump(fd).finally(stopSpinner);
    announceProgramMessages(stderr, context);
    await syncFile(handle);
    await handle.close();
    if (await entryExists(path)) throw dumpFileExistsError(path);
    await rename(temporaryPath, path);
    return (await stat(path)).size;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporaryPath, { force: true });
    throw error;
  }
};

/** Prints the messages of a program that succeeded. */
const announceProgramMessages = (stderr: string, { output }: Context): void => {
  if (stderr !== "") output.notice({ code: "db:message", message: stderr }, { multiline: true });
};
