import * as mockErrors from "../errors/mock-errors.js";
import { MemoryServer } from "@mgmt/engine";
import type { ClientOptions } from "@mgmt/sdk";
import { MockClients } from "../client/mock-clients.js";
import type { Mock as NodeMock } from "./mock.js";
import { type MockOptions, toServerOptions } from "./mock-options.js";

/** Replaces the class of mock.ts outside of Node.js: a reference server that is reached with `fetch` alone. */
export class Mock extends MemoryServer implements Pick<NodeMock, keyof NodeMock> {
  readonly #clients = new MockClients(this);

  constructor(options: MockOptions = {}) {
    super(toServerOptions(options, { validateResponses: true }));
  }

  async close(): Promise<void> {
    this.#clients.isClosed = true;
    await this.stop();
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

  get handlers(): never {
    throw mockErrors.nodeRequired("handlers");
  }

  listen(): never {
    throw mockErrors.nodeRequired("listen()");
  }

  client(): never {
    throw mockErrors.nodeRequired("client()");
  }

  async record(): Promise<never> {
    throw mockErrors.nodeRequired("record()");
  }

  async replay(): Promise<never> {
    throw mockErrors.nodeRequired("replay()");
  }
}

export const setupMock = (options: MockOptions = {}): Mock => new Mock(options);
