import { constants } from "node:fs";
import { type FileHandle, lstat, mkdtemp, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { addAbortSignal, Readable, type Transform } from "node:stream";
import zlib from "node:zlib";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import {
  incompleteDumpError,
  notARegularFileError,
  uncopiedInputError,
  unsupportedDumpError,
} from "../errors/dump-errors.js";
import { emptyDumpError } from "../errors/postgres-errors.js";
import { linkedFileError, unreadableFileError } from "../errors/usage-errors.js";
import type { Context } from "../input/context.js";
import { resolveLinkTarget } from "../files/resolve-link-target.js";

/** A dump or a script, from a file or standard input, whose first bytes were looked at. */
export interface DumpInput {
  /** Absolute path; undefined for standard input. */
  readonly path: string | undefined;
  /** How messages call it. */
  readonly name: string;
  /** `script` is SQL; pg_restore reads the others. */
  readonly format: "script" | "archive" | "folder";
  /** The file, if another program can read it as it is. */
  readonly descriptor: number | undefined;
  /** Reads the contents from their start, without compression. An archive on standard input can be read once. */
  readonly readContents: () => AsyncIterable<Uint8Array>;
  readonly close: () => Promise<void>;
}

const { O_NONBLOCK = 0, O_RDONLY } = constants;

/** How many bytes identify the format of a file. The mark of a tar archive is at the end of its first header. */
const maxHeadBytes = 512;

type Compression = "gzip" | "zstd";

/** How files begin that neither Postgres nor Node.js reads. */
const unsupportedFormats: readonly (readonly [signature: Buffer, format: string, hint: string])[] = [
  [Buffer.from("BZh"), "compressed with bzip2", "Unpack it first, for example with bunzip2."],
  [
    Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]),
    "compressed with xz",
    "Unpack it first, for example with unxz.",
  ],
  [Buffer.from([0x04, 0x22, 0x4d, 0x18]), "compressed with lz4", "Unpack it first, for example with unlz4."],
  [
    Buffer.from([0x50, 0x4b, 0x03, 0x04]),
    "a zip archive",
    "Unpack it first, and pass a file that was in it.",
  ],
  [Buffer.from([0x37, 0x7a, 0xbc, 0xaf]), "a 7z archive", "Unpack it first, and pass a file that was in it."],
  [Buffer.from("SQLite format 3"), "a database of SQLite", "Pass a dump that pg_dump has made."],
  [
    Buffer.from([0xff, 0xfe]),
    "text in UTF-16",
    "Make the dump again with --file PATH: PowerShell writes UTF-16 with >.",
  ],
  [Buffer.from([0xfe, 0xff]), "text in UTF-16", "Make the dump again with --file PATH."],
];

/**
 * Opens a dump or a script. Standard input is first copied to a temporary file, unless it is an archive: only then is it known
 * to be whole, and can be read twice.
 *
 * @param file path, or `-` for standard input.
 * @throws `usage:unreadable_file`, `usage:linked_file`, `usage:invalid`, `db:empty_dump`, `db:unsupported_dump`,
 *   `db:incomplete_dump`, `file:unwritable`.
 */
export const openDump = async (file: string, context: Context): Promise<DumpInput> => {
  if (file === "-") return openStandardInput(context);
  const path = resolve(context.cwd, file);
  if ((await resolveLinkTarget(file, context.cwd)) === undefined) throw linkedFileError("--file", file);
  // Opening a named pipe does not wait for its writer.
  const handle = await open(path, O_RDONLY | O_NONBLOCK).catch((error: unknown) => {
    throw unreadableFileError("--file", file, error);
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) {
      await handle.close();
      return await openFolder(path, file);
    }
    if (!stats.isFile()) throw notARegularFileError(file);
    return await createFileInput(handle, { path, name: file }, () => handle.close());
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
};

/** Opens the output of `pg_dump --format=directory`. */
const openFolder = async (path: string, file: string): Promise<DumpInput> => {
  const names = await readdir(path);
  if (!names.some((name) => /^toc\.dat(\.|$)/.test(name))) throw notARegularFileError(file);
  for (const name of names) {
    // pg_restore would read the target of a link.
    if (!(await lstat(join(path, name))).isFile()) throw linkedFileError("--file", join(file, name));
  }
  return {
    ...{ path, name: file, format: "folder", descriptor: undefined },
    async *readContents() {},
    close: () => Promise.resolve(),
  };
};

const openStandardInput = async ({ stdin, signal }: Context): Promise<DumpInput> => {
  const name = "standard input";
  const stream: Readable = addAbortSignal(signal, stdin);
  try {
    const { head, wholeStream } = await peekStream(stream);
    if (isArchive(head)) {
      const close = (): Promise<void> => Promise.resolve();
      return {
        path: undefined,
        name,
        format: "archive",
        descriptor: undefined,
        readContents: () => wholeStream,
        close,
      };
    }
    const { handle, close } = await copyToTemporaryFile(wholeStream, signal);
    try {
      return await createFileInput(handle, { path: undefined, name }, close);
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
};

/** Detects the format of a file. */
const createFileInput = async (
  handle: FileHandle,
  { path, name }: Pick<DumpInput, "path" | "name">,
  close: () => Promise<void>,
): Promise<DumpInput> => {
  const readRaw = (): AsyncGenerator<Uint8Array> => readChunks(handle);
  const compression = detectCompression(await readHead(readRaw()), name);
  const readContents = (): AsyncIterable<Uint8Array> =>
    compression ? decompress(readRaw(), compression, name) : readRaw();
  const head = compression ? await readHead(readContents()) : await readHead(readRaw());
  if (head.length === 0) throw emptyDumpError(path ?? name);
  assertSupportedFormat(head, name);
  const format = isArchive(head) ? "archive" : "script";
  if (format === "script" && head.includes(0)) {
    throw unsupportedDumpError(name, "neither SQL nor a dump", "Pass a file that pg_dump has written.");
  }
  const descriptor = compression ? undefined : handle.fd;
  return { path, name, format, descriptor, readContents, close };
};

/** Returns whether pg_restore reads a file that begins so: the custom format, or a tar archive. */
const isArchive = (head: Buffer): boolean =>
  head.subarray(0, 5).equals(Buffer.from("PGDMP")) || head.subarray(257, 262).equals(Buffer.from("ustar"));

const assertSupportedFormat = (head: Buffer, name: string): void => {
  for (const [signature, format, hint] of unsupportedFormats) {
    if (head.subarray(0, signature.length).equals(signature)) throw unsupportedDumpError(name, format, hint);
  }
};

const detectCompression = (head: Buffer, name: string): Compression | undefined => {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  if (!head.subarray(0, 4).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))) return undefined;
  if (createZstdDecompress) return "zstd";
  const hint = "Unpack it first, for example with unzstd, or use Node.js 22.15 or newer.";
  throw unsupportedDumpError(name, "compressed with zstd", hint);
};

// Node.js has it since 22.15; the types are for the oldest version that is supported.
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };

const decompress = async function* (
  compressedChunks: AsyncIterable<Uint8Array>,
  compression: Compression,
  name: string,
): AsyncGenerator<Uint8Array> {
  const decompressor =
    compression === "zstd" && createZstdDecompress ? createZstdDecompress() : zlib.createGunzip();
  const input = Readable.from(compressedChunks, { objectMode: false });
  input.once("error", (error) => decompressor.destroy(error)).pipe(decompressor);
  try {
    // Without an encoding, a stream yields only buffers.
    for await (const chunk of decompressor) yield chunk as Uint8Array;
  } catch (error) {
    const code = readErrorCode(error);
    if (code === undefined || !/^(Z_|ZSTD_)/.test(code)) throw error;
    throw incompleteDumpError(
      name,
      code === "Z_BUF_ERROR" ? "its compressed data ends early" : "its compressed data is damaged",
    );
  } finally {
    input.destroy();
    decompressor.destroy();
  }
};

const maxChunkBytes = 2 ** 18;

/** Reads a file at positions of its own, so that a program that inherits it reads it from its start. */
const readChunks = async function* (handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ;) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxChunkBytes), 0, maxChunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
};

/** Reads the first bytes of a stream. `wholeStream` gives them again, and then the others. */
const peekStream = async (
  stream: AsyncIterable<Uint8Array>,
): Promise<{ head: Buffer; wholeStream: AsyncIterable<Uint8Array> }> => {
  const chunkIterator = stream[Symbol.asyncIterator]();
  const headChunks: Uint8Array[] = [];
  let headLength = 0;
  while (headLength < maxHeadBytes) {
    const { done, value } = await chunkIterator.next();
    if (done) break;
    headChunks.push(value);
    headLength += value.length;
  }
  const readAll = async function* (): AsyncGenerator<Uint8Array> {
    yield* headChunks;
    yield* { [Symbol.asyncIterator]: () => chunkIterator };
  };
  return { head: Buffer.concat(headChunks).subarray(0, maxHeadBytes), wholeStream: readAll() };
};

const readHead = async (stream: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const { head, wholeStream } = await peekStream(stream);
  await wholeStream[Symbol.asyncIterator]().return?.();
  return head;
};

/** Copies a stream to a file that only this user can read, and that is deleted when it is closed. */
const copyToTemporaryFile = async (
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<{ handle: FileHandle; close: () => Promise<void> }> => {
  let folder: string | undefined;
  let handle: FileHandle | undefined;
  const close = async (): Promise<void> => {
    await handle?.close().catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    folder = await mkdtemp(join(tmpdir(), "mgmt-input-"));
    handle = await open(join(folder, "input"), "wx+", 0o600);
    // The file has no name while it is used, so that nothing is left if this process is killed. Windows does not allow that.
    if (process.platform !== "win32") await rm(folder, { recursive: true, force: true });
    let position = 0;
    for await (const chunk of chunks) {
      // At a position of its own, so that a program that inherits the file reads it from its start.
      for (let written = 0; written < chunk.length;) {
        const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, position);
        written += bytesWritten;
        position += bytesWritten;
      }
    }
    return { handle, close };
  } catch (error) {
    await close();
    signal.throwIfAborted();
    throw uncopiedInputError(error);
  }
};
