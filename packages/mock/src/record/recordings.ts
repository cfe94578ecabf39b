import { setTimeout } from "node:timers/promises";
import type { EngineRequest, MemoryServer } from "@mgmt/engine";
import { findOperation } from "@mgmt/engine/internal";
import * as mockErrors from "../errors/mock-errors.js";
import { Recorder } from "./recorder.js";
import { type Recording, readRecording, writeRecording } from "./recording.js";
import { type OperationParity, replayExchanges } from "./replay.js";

/** Where the requests are sent whose responses are recorded. */
export interface RecordOptions {
  /** Base URL of a real service, without a trailing slash and without `/v1`. */
  readonly upstream: string;
  /** Sends the requests to the service. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** A recording in progress. */
export interface ActiveRecording {
  /** Returns the recording so far, without secrets. */
  recording(): Recording;
  /** Writes the recording so far to a file, without secrets. */
  save(path: string): Promise<void>;
  /** Ends the recording: this server responds again. */
  stop(): void;
}

/** How a recording is replayed. */
export interface ReplayOptions {
  /** Whether to delay each recorded operation by the median of its recorded latencies from now on. Default: false. */
  readonly latency?: boolean | undefined;
}

/** Maximum size of a request body that is passed on, in bytes. */
const maxBodyBytes = 16 * 1024 * 1024;

type HandleRequest = MemoryServer["handle"];
type BodyPolicy = ReturnType<MemoryServer["bodyPolicy"]>;

/** Passes the requests of a server on to a real service, and compares the server with what the service returned. */
export class Recordings {
  #recorder: Recorder | undefined;
  #latencies: ReadonlyMap<string, number> | undefined;

  /** @param latency by how many milliseconds to delay each response. Default: by the replayed latency, if any. */
  constructor(private readonly latency = 0) {}

  /**
   * Handles a request by the real service while there is a recording in progress, or else by this server.
   *
   * @param handle how this server handles it.
   */
  handle(request: EngineRequest, handle: HandleRequest): ReturnType<HandleRequest> {
    if (this.#recorder) return this.#recorder.handle(request);
    const latency = this.latency > 0 ? this.latency : this.#getReplayedLatency(request);
    if (latency === 0) return handle(request);
    return setTimeout(latency).then(() => handle(request));
  }

  /** Returns how to read the body of a request that is passed on; undefined without a recording in progress. */
  bodyPolicy(): BodyPolicy | undefined {
    return this.#recorder && { limit: maxBodyBytes, discarded: false };
  }

  /** Starts to pass requests on to a real service. Throws what `record` of a mock throws. */
  async record({ upstream, fetch: send = globalThis.fetch }: RecordOptions): Promise<ActiveRecording> {
    const isBaseUrl = /^https?:\/\/[^\s\\@?#]+$/i.test(upstream) && !/\/(?:v1)?$/.test(upstream);
    if (!isBaseUrl || !URL.canParse(upstream)) {
      throw new TypeError(
        "upstream must be an http or https URL without credentials, a query, a trailing slash, or /v1",
      );
    }
    const recorder = new Recorder(upstream, send);
    await recorder.assertUpstreamIsApi();
    this.#recorder = recorder;
    return {
      recording: () => recorder.recording(),
      save: (path) => writeRecording(path, recorder.recording()),
      stop: () => {
        if (this.#recorder === recorder) this.#recorder = undefined;
      },
    };
  }

  /** Repeats the requests of a recording with this server. Throws what `replay` of a mock throws. */
  async replay(
    server: MemoryServer,
    recording: string | Recording,
    { latency = false }: ReplayOptions = {},
  ): Promise<OperationParity[]> {
    if (this.#recorder) throw mockErrors.stillRecording();
    const recordingToReplay = typeof recording === "string" ? await readRecording(recording) : recording;
    const report = await replayExchanges(server, recordingToReplay);
    this.#latencies = latency ? computeMedianLatencies(recordingToReplay) : undefined;
    return report;
  }

  /** Returns by how many milliseconds the replayed recording delays a request. */
  #getReplayedLatency({ method, path }: EngineRequest): number {
    if (!this.#latencies) return 0;
    const operation = findOperation(method, path.split("?", 1)[0] ?? "");
    return (operation && this.#latencies.get(operation.id)) ?? 0;
  }
}

/** Returns the median of the recorded latencies of each operation, in milliseconds. */
const computeMedianLatencies = ({ exchanges }: Recording): Map<string, number> => {
  const latenciesByOperation = new Map<string, number[]>();
  for (const { operationId, latency } of exchanges) {
    latenciesByOperation.set(operationId, [...(latenciesByOperation.get(operationId) ?? []), latency]);
  }
  return new Map(
    [...latenciesByOperation].map(([operationId, latencies]) => [operationId, computeMedian(latencies)]),
  );
};

const computeMedian = (values: readonly number[]): number => {
  const sortedValues = [...values].sort((left, right) => left - right);
  return sortedValues[Math.floor((sortedValues.length - 1) / 2)] ?? 0;
};
