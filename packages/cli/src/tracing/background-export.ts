import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { buildInheritedEnvironment } from "../system/find-program.js";
import type { TraceRecord } from "./command-trace.js";
import type { ExportOutcome } from "./export-trace.js";
import type { TraceProtocol } from "./trace-settings.js";
import { exportWord } from "./wants-trace.js";

/** The standard input of the process that sends a trace. */
export interface ExportRequest {
  readonly record: TraceRecord;
  readonly protocol: TraceProtocol;
  /** Milliseconds for all attempts. */
  readonly timeoutMs: number;
}

/** Options for starting the process that sends a trace. */
export interface ExportOptions {
  /** A program and its first arguments, which start this command again. */
  readonly selfCommand: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Sends a trace from a process in the background, so that no collector delays the command.
 *
 * @param isWaiting whether to wait for the outcome.
 * @returns the outcome, if it was waited for.
 */
export const exportInBackground = async (
  request: ExportRequest,
  { selfCommand: [program, ...ownArguments], env }: ExportOptions,
  isWaiting: boolean,
): Promise<ExportOutcome | undefined> => {
  const encodedRequest = await encodeRequest(request);
  const child = spawn(program, [...ownArguments, exportWord], {
    // The working directory may be deleted meanwhile, or be the end of a volume.
    cwd: dirname(program),
    // Without the token.
    env: buildInheritedEnvironment(env),
    detached: true,
    // A program that reads the output of this command would wait for the end of whatever has inherited it.
    stdio: ["pipe", isWaiting ? "pipe" : "ignore", "ignore"],
    windowsHide: true,
  });
  const exited = new Promise<string>((resolve) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (part: string) => (text += part));
    child.once("error", () => resolve(text)).once("close", () => resolve(text));
  });
  child.stdin?.on("error", () => undefined).end(encodedRequest);
  if (!isWaiting) {
    child.unref();
    return undefined;
  }
  return parseOutcome(await exited);
};

/** A pipe holds at least this many bytes. With more, the command would wait until the process has started and reads them. */
const pipeBytes = 64 * 1_024;

/** The first byte of compressed data, which no JSON starts with. See https://www.rfc-editor.org/rfc/rfc1952. */
const gzipMagic = 0x1f;

/** Returns a request as JSON, compressed if a pipe might not hold it. */
export const encodeRequest = async (request: ExportRequest): Promise<Buffer> => {
  const bytes = Buffer.from(JSON.stringify(request));
  if (bytes.length < pipeBytes) return bytes;
  // Loaded on demand, because most traces are short.
  const { gzipSync } = await import("node:zlib");
  return gzipSync(bytes, { level: 1 });
};

/** Reads what `encodeRequest` has returned. */
export const decodeRequest = async (bytes: Buffer): Promise<ExportRequest> => {
  const { gunzipSync } = await import("node:zlib");
  return JSON.parse((bytes[0] === gzipMagic ? gunzipSync(bytes) : bytes).toString()) as ExportRequest;
};

/** Reads the last line. Modules that `NODE_OPTIONS` loads may have printed others. */
const parseOutcome = (text: string): ExportOutcome => {
  try {
    // `runExport` has written it.
    return JSON.parse(text.slice(text.lastIndexOf("\n") + 1)) as ExportOutcome;
  } catch {
    return { reason: "the process that sends them has failed" };
  }
};
