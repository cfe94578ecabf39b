import {
  type EngineOptions,
  type EngineRequest,
  type EngineResponse,
  MemoryServer,
  type Server,
} from "@mgmt/engine";
import {
  type RunningServer as RunningEngineServer,
  type ServerOptions,
  createServer as createEngineServer,
} from "@mgmt/engine/http";
import type { ClientOptions, MgmtClient } from "@mgmt/sdk";
import { MockClients } from "../client/mock-clients.js";
import { requireSdk } from "../client/sdk.js";
import type { Recording } from "../record/recording.js";
import {
  type ActiveRecording,
  type RecordOptions,
  Recordings,
  type ReplayOptions,
} from "../record/recordings.js";
import type { OperationParity } from "../record/replay.js";
import { type MockOptions, toServerOptions } from "./mock-options.js";
import type { NonInterceptingMembers } from "./non-intercepting-members.js";

/** A mock that is reached over HTTP. */
export class ServedMock extends MemoryServer implements NonInterceptingMembers {
  readonly #clients = new MockClients(this);
  readonly #recordings = new Recordings();

  constructor(options: MockOptions = {}, defaults: Pick<MockOptions, "validateResponses"> = {}) {
    super(toServerOptions(options, defaults));
  }

  override start(): void {
    this.#clients.isClosed = false;
    super.start();
  }

  override async stop(): Promise<void> {
    this.#clients.isClosed = true;
    await super.stop();
  }

  client(options: ClientOptions = {}): MgmtClient {
    return requireSdk().createClient({ ...this.clientOptions(), ...options });
  }

  get baseUrl(): string {
    return this.settings.baseUrl;
  }

  get authUrl(): string {
    return this.settings.authUrl;
  }

  clientOptions(): Pick<ClientOptions, "baseUrl" | "token" | "fetch" | "timers"> {
    return this.#clients.options();
  }

  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    this.#clients.fetch(input, init);

  async record({ upstream, fetch }: RecordOptions): Promise<ActiveRecording> {
    return this.#recordings.record({ upstream, fetch });
  }

  async replay(recording: string | Recording, { latency }: ReplayOptions = {}): Promise<OperationParity[]> {
    return this.#recordings.replay(this, recording, { latency });
  }

  override handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    return this.#recordings.handle(request, (request) => super.handle(request));
  }

  override bodyPolicy(method: string, path: string): { limit: number; discarded: boolean } {
    return this.#recordings.bodyPolicy() ?? super.bodyPolicy(method, path);
  }
}

export type RunningServer<E extends Server = ServedMock> = RunningEngineServer<E>;

const createInMemoryMock =
  (options: EngineOptions = {}) =>
  ({ baseUrl }: { baseUrl: string }): ServedMock =>
    new ServedMock({ ...options, settings: { baseUrl, ...options.settings } });

/**
 * Starts the reference server on `node:http`. Rejects with the system's error when the port is in use, or
 * with the error that `createEngine` throws; in both cases nothing is left listening. Rejects with a `TypeError` for an option
 * that does not exist.
 */
export const createServer = <E extends Server = ServedMock>(
  options: ServerOptions<E> = {},
): Promise<RunningServer<E>> =>
  createEngineServer<E>({
    // Without `createEngine`, `E` is its default.
    createEngine: createInMemoryMock(options.engineOptions) as unknown as NonNullable<
      ServerOptions<E>["createEngine"]
    >,
    ...options,
  });
