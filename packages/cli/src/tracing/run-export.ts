import { buffer } from "node:stream/consumers";
import { decodeRequest } from "./background-export.js";
import { type ExportOutcome, exportTrace } from "./export-trace.js";

/** The parts of a process that this uses. */
interface ExportProcess {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  exit(code: number): unknown;
}

/**
 * Sends the trace that standard input describes, prints the outcome as JSON in the last line, and terminates the process: connections may
 * stay open.
 */
export const runExport = async ({ stdin, stdout, exit }: ExportProcess): Promise<void> => {
  const { record, protocol, timeoutMs } = await decodeRequest(await buffer(stdin));
  let timer: NodeJS.Timeout | undefined;
  // The exporter waits longer for a response that comes byte by byte.
  const timedOut = new Promise<ExportOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ reason: "no response in time" }), timeoutMs);
  });
  const outcome = await Promise.race([exportTrace(record, protocol, timeoutMs), timedOut]);
  clearTimeout(timer);
  stdout.write(`\n${JSON.stringify(outcome)}`, () => exit(0));
};
