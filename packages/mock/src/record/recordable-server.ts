import { setTimeout } from "node:timers/promises";
import type { EngineRequest, EngineResponse } from "@mgmt/engine";
import { operationAt } from "@mgmt/engine/internal";
import * as mockErrors from "../errors/mock-errors.js";
import { MockServer } from "../exchange/mock-server.js";
import { Recorder } from "./recorder.js";
import { type Recording, readRecording, writeRecording } from "./recording.js";
import { type OperationParity, replay } from "./replay.js";
import { medianLatencies } from "./recorded-latency.js";

export interface RecordOptions {
  /** Base URL of a real service, without a trailing slash and without `/v1`. */
  readonly upstream: string;
  /** Sends the requests to the service. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** A recording in progress. */
export interface ActiveRecording {
  /** Returns what was recorded so far, without secrets. */
  recording(): Recording;
  /** Writes what was recorded so far to a file, without secrets. */
  save(path: string): Promise<void>;
  /** Ends the recording: this server responds again. */
  stop(): void;
}

export interface ReplayOptions {
  /** Whether to delay each recorded operation by the median of its recorded latencies from now on. Default: false. */
  readonly latency?: boolean | undefined;
}

/** Maximum size of a request body that is passed on, in bytes. */
const maxBody = 16 * 1024 * 1024;

/** A reference server that can pass requests on to a real service, and compare itself with what the service returned. */
export class RecordableServer extends MockServer {
  #recorder: Recorder | undefined;
  #latencies: ReadonlyMap<string, number> | undefined;

  override handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    if (this.#recorder) return this.#recorder.handle(request);
    const latency = this.latencyOf(request);
    if (latency === 0) return super.handle(request);
    return setTimeout(latency).then(() => super.handle(request));
  }

  /** Returns by how many milliseconds to delay a request. */
  protected latencyOf({ method, path }: EngineRequest): number {
    if (!this.#latencies) return 0;
    const operation = operationAt(method, path.split("?", 1)[0] ?? "");
    return (operation && this.#latencies.get(operation.id)) ?? 0;
  }

  override bodyPolicy(method: string, path: string): { limit: number; discarded: boolean } {
    return this.#recorder ? { limit: maxBody, discarded: false } : super.bodyPolicy(method, path);
  }

  /**
   * Passes requests on to a real service, and records its responses and their latency. Fields that the contract marks as secret,
   * credentials of requests, and connection strings are masked.
   *
   * @throws MockError `mock:upstream_unreachable` when the service cannot be reached, `mock:upstream_not_the_api` when it does not
   * respond like the API; TypeError for an invalid URL.
   */
  async record({ upstream, fetch: send = globalThis.fetch }: RecordOptions): Promise<ActiveRecording> {
    const isBase = /^https?:\/\/[^\s\\@?#]+$/i.test(upstream) && !/\/(?:v1)?$/.test(upstream);
    if (!isBase || !URL.canParse(upstream)) {
      throw new TypeError(
        "upstream must be an http or https URL without credentials, a query, a trailing slash, or /v1",
      );
    }
    const recorder = new Recorder(upstream, send);
    await recorder.check();
    this.#recorder = recorder;
    return {
      recording: () => recorder.recording(),
      save: (path) => writeRecording(path, recorder.recording()),
      stop: () => {
        if (this.#recorder === recorder) this.#recorder = undefined;
      },
    };
  }

  /**
   * Creates the resources of a recording, repeats its requests, and returns where this server's responses differ, by operation. The
   * resources stay.
   *
   * @param recording the path of its file, or the recording itself.
   * @throws MockError `mock:bad_recording`, or `mock:recording` while this server records.
   */
  async replay(
    recording: string | Recording,
    { latency = false }: ReplayOptions = {},
  ): Promise<OperationParity[]> {
    if (this.#recorder) throw mockErrors.stillRecording();
    const read = typeof recording === "string" ? await readRecording(recording) : recording;
    const report = await replay(this, read);
    this.#latencies = latency ? medianLatencies(read) : undefined;
    return report;
  }
}
