import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { exitCodes } from "../errors/exit-codes.js";

/** A stream that results or messages are written to. It may be a terminal. */
export type OutputStream = Writable & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns" | "rows">>;

/** The standard streams of the command. */
export interface Streams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/** Writes text, with a line break at the end. */
export const writeText = (text: string, { stdout }: Pick<Streams, "stdout"> = process): void => {
  stdout.write(addLineBreak(text));
};

/** Returns the number of columns that help is wrapped to: the width of the terminal, or 80. */
export const computeHelpWidth = ({ isTTY, columns }: OutputStream): number => (isTTY && columns) || 80;

/**
 * Writes text to the standard output of the process, with a line break at the end, without opening `process.stdout`, which
 * takes longer than the write.
 */
export const writeTextSync = (text: string): void => {
  const bytes = Buffer.from(addLineBreak(text));
  let writtenBytes = 0;
  try {
    while (writtenBytes < bytes.length) writtenBytes += writeSync(1, bytes, writtenBytes);
  } catch {
    // The stream waits for a slow reader, and reports every other failure.
    processStreams.stdout.write(bytes.subarray(writtenBytes));
  }
};

/** Returns whether a stream writes into a file, rather than to a terminal or a program. */
export const isFileStream = (stream: OutputStream): boolean => {
  if (!("fd" in stream) || typeof stream.fd !== "number") return false;
  try {
    return fstatSync(stream.fd).isFile();
  } catch {
    return false;
  }
};

const addLineBreak = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);

const guardedStreams = new Set<NodeJS.WriteStream>();

/** The reader of a stream has closed it, or its terminal was closed. */
const closedStreamCodes: readonly unknown[] = ["EPIPE", "EIO"];
/** The disk is full, a quota is used up, or a file has reached the limit of its size. */
const fullDiskCodes: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG"];

/**
 * Exits quietly when the reader of standard output has closed it (`mgmt … | head`), and with a message when it cannot be written for
 * another reason. Continues without messages when standard error is closed: the command may be changing something.
 */
const handleStreamErrors = (stream: NodeJS.WriteStream): NodeJS.WriteStream => {
  if (guardedStreams.has(stream)) return stream;
  guardedStreams.add(stream);
  return stream.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (stream === process.stdout) {
      if (code === "EPIPE") process.exit();
      const { stderr } = processStreams;
      const action = fullDiskCodes.includes(code) ? "Free some space, or write" : "Write";
      stderr.write(`error: The output cannot be written (${code ?? message})\n`);
      stderr.write(`hint: ${action} the output elsewhere. The command may have taken effect.\n`);
    } else if (closedStreamCodes.includes(code)) return;
    process.exit(exitCodes.failure);
  });
};

/** The streams of the process. Node opens each on its first use, which takes about a millisecond. */
export const processStreams = {
  get stdin(): NodeJS.ReadStream & { fd: 0 } {
    return process.stdin;
  },
  get stdout(): NodeJS.WriteStream {
    return handleStreamErrors(process.stdout);
  },
  get stderr(): NodeJS.WriteStream {
    return handleStreamErrors(process.stderr);
  },
};
