import { readFile, rename, writeFile } from "node:fs/promises";
import * as mockErrors from "../errors/mock-errors.js";

/** A request to the upstream service and its response, without secrets. */
export interface RecordedExchange {
  readonly operationId: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: unknown;
  /** Whether the request had a credential. */
  readonly authorized: boolean;
  readonly status: number;
  /** Error code of the response; null for a success. */
  readonly code: string | null;
  readonly response: unknown;
  /** Milliseconds until the response. */
  readonly latency: number;
}

/** A resource that existed before the recording, as the first response that contains it. */
export interface RecordedSeed {
  readonly kind: "workspace" | "project" | "branch" | "database" | "connection";
  readonly id: string;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** The requests to a service with its responses. */
export interface Recording {
  readonly format: "mgmt-recording";
  readonly version: 1;
  /** Origin of the service. */
  readonly upstream: string;
  readonly recordedAt: string;
  readonly seeds: readonly RecordedSeed[];
  readonly exchanges: readonly RecordedExchange[];
}

/**
 * Reads a recording.
 *
 * @throws MockError `mock:bad_recording`.
 */
export const readRecording = async (path: string): Promise<Recording> => {
  const recordingJson = await readFile(path, "utf8").catch((error: unknown) => {
    throw mockErrors.badRecording(path, "it cannot be read", error);
  });
  let value: unknown;
  try {
    value = JSON.parse(recordingJson);
  } catch (error) {
    throw mockErrors.badRecording(path, "it is not complete JSON; it may have been truncated", error);
  }
  // Each field is checked below.
  const recording = (value ?? {}) as Partial<Recording>;
  if (recording.format !== "mgmt-recording") throw mockErrors.badRecording(path, "it is not a recording");
  if (recording.version !== 1) {
    throw mockErrors.badRecording(path, `its version is ${String(recording.version)}, and this one reads 1`);
  }
  if (!Array.isArray(recording.exchanges) || !Array.isArray(recording.seeds)) {
    throw mockErrors.badRecording(path, "it has no exchanges or no seeds");
  }
  // The contents of the parts are not checked, because a recorder has written them.
  return recording as Recording;
};

/** Writes a recording, which only its owner can read. Replaces an older file atomically. */
export const writeRecording = async (path: string, recording: Recording): Promise<void> => {
  const temporaryPath = `${path}.${String(process.pid)}.tmp`;
  await writeFile(temporaryPath, `${JSON.stringify(recording, undefined, 2)}\n`, { mode: 0o600 });
  await rename(temporaryPath, path);
};
