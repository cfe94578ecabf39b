import { type EngineRequest, type EngineResponse, MemoryServer } from "@mgmt/engine";
import type { ClientOptions, MgmtClient } from "@mgmt/sdk";
import type { HttpHandler } from "msw";
import { MockClients } from "../client/mock-clients.js";
import { requireSdk } from "../client/sdk.js";
import type { ListenOptions } from "../interception/listen-options.js";
import { ProcessInterception } from "../interception/process-interception.js";
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

/**
 * Runs the reference server inside a test process. Requests that the process sends to `baseUrl` or `authUrl` with the global `fetch`,
 * `node:http` or `XMLHttpRequest` are handled in memory and never reach the network. Requests of the package undici are not.
 */
export class Mock extends MemoryServer implements NonInterceptingMembers {
  readonly #clients = new MockClients(this, () => this.#interception.assertReceiving());
  readonly #recordings = new Recordings();
  readonly #interception = new ProcessInterception(this, this.#clients.bases);

  constructor(options: MockOptions = {}) {
    super(toServerOptions(options, { validateResponses: true }));
  }

  /**
   * Handlers for your own MSW server, as an alternative to `listen`: `setupServer(...mock.handlers,
   * ...yours)`.
   *
   * @throws MockError `mock:msw_missing` when MSW is not installed.
   */
  get handlers(): readonly HttpHandler[] {
    return this.#interception.handlers;
  }

  /**
   * Starts intercepting the requests of this process. Another MSW server that would listen meanwhile is rejected, since MSW 2.13.
   *
   * @throws MockError `mock:msw_missing` when MSW is not installed, `mock:second_server` when another MSW server receives the requests of
   * this process, `mock:shadowed_handler` when a handler is for the address of the mock.
   * @throws TypeError for an option that does not exist or is not valid.
   */
  listen(options: ListenOptions = {}): void {
    this.#interception.start(options);
    this.#clients.isClosed = false;
    this.start();
  }

  /**
   * Stops intercepting requests and stops background work.
   *
   * @throws MockError `mock:second_server`, after it has stopped, when another server of MSW before 2.13 has listened since `listen`, and
   * requests may have left for the network. If you passed a server, only while the other one listens.
   */
  async close(): Promise<void> {
    const interceptionError = this.#interception.stop();
    this.#clients.isClosed = true;
    await this.stop();
    if (interceptionError) throw interceptionError;
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

  /**
   * Sends a request directly to this server, whether or not it is listening. Works like the global `fetch`.
   *
   * @throws MockError `mock:second_server` when it was listening and another MSW server has ended that.
   */
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

/**
 * Creates a reference server for tests. Call `mock.listen()` before all tests, `mock.reset()` after each
 * test, and `mock.close()` after all tests. `listen` and `handlers` require `msw` 2 or 3.
 * @throws TypeError when `baseUrl` or `settings.authUrl` is not valid, and for an option that does not exist.
 */
export const setupMock = (options: MockOptions = {}): Mock => new Mock(options);
