import type { EngineRequest, EngineResponse } from "@mgmt/engine";
import type { ClientOptions, MgmtClient } from "@mgmt/sdk";
import { requireSdk } from "../client/sdk.js";
import type { Recording } from "../record/recording.js";
import {
  type ActiveRecording,
  type RecordOptions,
  Recordings,
  type ReplayOptions,
} from "../record/recordings.js";
import type { OperationParity } from "../record/replay.js";
import { MockServer } from "./mock-server.js";

/** A reference server that can pass requests on to a real service, and compare itself with the responses of the service. */
export class RecordableServer extends MockServer {
  readonly #recordings = new Recordings();

  override handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    return this.#recordings.handle(request, this.latencyOf(request), (request) => super.handle(request));
  }

  /** Returns by how many milliseconds to delay a request. */
  protected latencyOf({ method, path }: EngineRequest): number {
    return this.#recordings.latencyOf(method, path);
  }

  override bodyPolicy(method: string, path: string): { limit: number; discarded: boolean } {
    return this.#recordings.bodyPolicy() ?? super.bodyPolicy(method, path);
  }

  /**
   * Passes requests on to a real service, and records its responses and their latency. Fields that the contract marks as secret,
   * credentials of requests, and connection strings are masked.
   *
   * @throws MockError `mock:upstream_unreachable` when the service cannot be reached, `mock:upstream_not_the_api` when it does not
   * respond like the API; TypeError for an invalid URL.
   */
  async record({ upstream, fetch }: RecordOptions): Promise<ActiveRecording> {
    return this.#recordings.record({ upstream, fetch });
  }

  /**
   * Creates the resources of a recording, repeats its requests, and returns where this server's responses differ, by operation. The
   * resources stay.
   *
   * @param recording the path of its file, or the recording itself.
   * @throws MockError `mock:bad_recording`, or `mock:recording` while this server records.
   */
  async replay(recording: string | Recording, { latency }: ReplayOptions = {}): Promise<OperationParity[]> {
    return this.#recordings.replay(this, recording, { latency });
  }
}

/** A mock in a process. */
export class NodeMock extends RecordableServer {
  /**
   * Creates a client of the SDK for which time passes by the mock's clock. Its requests go directly to this server, whether or not it
   * is listening. When the client pauses, before a retry or a poll, it does not wait: it moves the clock, and the jobs that fall
   * due on the way run. Its deadlines pass only when the clock is moved, so neither slow tests nor fake timers end a call early.
   *
   * @param options of the client. Default: `clientOptions()`.
   * @throws MockError `mock:sdk_missing` when the SDK is not installed.
   */
  client(options: ClientOptions = {}): MgmtClient {
    return requireSdk().createClient({ ...this.clientOptions(), ...options });
  }
}
