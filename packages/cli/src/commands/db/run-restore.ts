import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { Context, GlobalFlags } from "../../input/context.js";
import { notADump, restoreFailed } from "../../errors/postgres-errors.js";
import { unreadableFile, usageError } from "../../errors/usage-errors.js";
import { databaseAccess, type DatabaseAccess } from "../../run/database-url.js";
import { findClientProgram } from "./client-programs.js";
import { clientEnvironment } from "./connection-environment.js";
import { startClient } from "./run-client.js";
import { confirmUnlessEmpty, inOneTransaction } from "./target.js";

export interface RestoreFlags {
  /** Path, or `-` for standard input. */
  readonly file: string;
  /** Whether to drop what is in the dump before it is created again. */
  readonly clean?: boolean;
}

/** What `mgmt db restore` and `mgmt db seed` print. */
export interface RestoreResult {
  readonly databaseId: string;
  /** Path of the file; null for standard input. */
  readonly file: string | null;
  /** Program that read the file. */
  readonly program: "pg_restore" | "psql";
}

/** How archives of pg_dump begin. */
const magic = Buffer.from("PGDMP");

/** Puts a dump back into a database, in one transaction. */
export const runRestore = async (
  database: string | undefined,
  { file, clean = false }: RestoreFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const input = await openInput(file, context);
  try {
    if (clean && !input.isArchive) {
      throw usageError(
        "--clean needs a dump in the custom format",
        "A dump in SQL drops nothing. Make one with mgmt db dump --format custom.",
      );
    }
    const access = await databaseAccess(database, flags, context);
    const verb = clean ? "replace what a dump has in" : "restore a dump into";
    await confirmUnlessEmpty(verb, access, "tables", flags, context, {
      readsStdin: input.path === undefined,
    });
    await load(input, access, clean, context);
    await finish("Restored", input, access, context);
  } finally {
    await input.close();
  }
};

/** Runs a script of SQL on a database, in one transaction. */
export const runSeed = async (
  database: string | undefined,
  { file }: { readonly file: string },
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const input = await openInput(file, context);
  try {
    if (input.isArchive) throw usageError(`${file} is a dump, not SQL`, "Use mgmt db restore.");
    const access = await databaseAccess(database, flags, context);
    await confirmUnlessEmpty("run SQL on", access, "rows", flags, context, {
      readsStdin: input.path === undefined,
    });
    await load(input, access, false, context);
    await finish("Ran", input, access, context);
  } finally {
    await input.close();
  }
};

/** A file or standard input, and what it contains. */
interface Input {
  /** Undefined for standard input. */
  readonly path: string | undefined;
  readonly isArchive: boolean;
  /** An open file, or standard input with what was read of it. */
  readonly source: number | { readonly start: Buffer; readonly rest: Readable };
  readonly close: () => Promise<void>;
}

const { O_NONBLOCK = 0, O_RDONLY } = constants;

const openInput = async (file: string, context: Context): Promise<Input> => {
  if (file === "-") {
    const rest = context.stdin;
    const start = await firstBytes(rest, context.signal);
    const isArchive = start.subarray(0, magic.length).equals(magic);
    return { path: undefined, isArchive, source: { start, rest }, close: () => Promise.resolve() };
  }
  const path = resolve(context.cwd, file);
  // Opening a named pipe does not wait for its writer.
  const handle = await open(path, O_RDONLY | O_NONBLOCK).catch((error: unknown) => {
    throw unreadableFile("--file", file, error);
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw unreadableFile("--file", file, new Error("it is not a regular file"));
    if (found.size === 0) throw notADump(path);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    const isArchive = buffer.subarray(0, bytesRead).equals(magic);
    return { path, isArchive, source: handle.fd, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** Returns the first bytes of a stream, which does not get them again. Throws `db:empty_dump` if there are none. */
const firstBytes = async (stream: Readable, signal: AbortSignal): Promise<Buffer> => {
  const start = await new Promise<Buffer | null>((resolve, reject) => {
    const read = (): void => {
      const chunk: unknown = stream.read();
      if (chunk !== null) resolve(Buffer.from(chunk as Buffer));
    };
    stream
      .on("readable", read)
      .once("end", () => resolve(null))
      .once("error", reject);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  stream.removeAllListeners("readable");
  if (start === null) throw notADump("standard input");
  return start;
};

const load = async (
  { isArchive, source }: Input,
  access: DatabaseAccess,
  clean: boolean,
  context: Context,
): Promise<void> => {
  const program = await findClientProgram(isArchive ? "pg_restore" : "psql", context);
  const args = isArchive ? restoreFlags(clean) : scriptFlags;
  const env = clientEnvironment(context.env, access);
  const stdin = typeof source === "number" ? source : "pipe";
  const stop = context.output.startSpinner(() => `Writing to ${access.databaseId}`);
  try {
    await inOneTransaction(access, context, async () => {
      const running = startClient(program, args, { env, stdin, stdout: "ignore" }, context);
      if (typeof source !== "number") {
        running.stdin?.write(source.start);
        if (running.stdin) source.rest.pipe(running.stdin);
      }
      await running.ended.catch((error: unknown) => {
        throw restoreFailed(error, access.databaseId, isArchive && !clean);
      });
    });
  } finally {
    stop();
  }
};

/** Arguments of pg_restore that leave nothing or everything. The owners of a dump do not exist in another database. */
export const restoreFlags = (clean: boolean): string[] => [
  ...["--dbname=postgres", "--single-transaction", "--no-owner", "--no-privileges"],
  ...(clean ? ["--clean", "--if-exists"] : []),
];

const scriptFlags = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=-"];

const finish = async (
  verb: string,
  { path, isArchive }: Input,
  { databaseId }: DatabaseAccess,
  { output }: Context,
): Promise<void> => {
  output.info(`${verb} ${path ?? "standard input"} in database ${databaseId}.`);
  const program = isArchive ? "pg_restore" : "psql";
  const result: RestoreResult = { databaseId, file: path ?? null, program };
  await output.result(result, "RestoreResult");
};
