import { assertEngineOptions } from "@mgmt/engine/internal";
import { mockErrors } from "../errors/mock-error.js";
import { MockServer } from "../exchange/mock-server.js";
import type { Mock as NodeMock, MockOptions } from "./mock.js";

/** What a mock does only in Node.js. */
type NodeMembers = Pick<NodeMock, "handlers" | "listen" | "client" | "record" | "replay">;

/** What mock.ts is where Node.js is not: a reference server that is reached with `fetch` alone. */
export class Mock extends MockServer implements NodeMembers {
  constructor(options: MockOptions = {}) {
    assertEngineOptions(options, ["baseUrl"]);
    const { baseUrl, settings, ...rest } = options;
    super({
      ...rest,
      validateResponses: rest.validateResponses ?? true,
      settings: { ...settings, ...(baseUrl !== undefined && { baseUrl }) },
    });
  }

  get baseUrl(): string {
    return this.settings.baseUrl;
  }

  get authUrl(): string {
    return this.settings.authUrl;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.stop();
  }

  get handlers(): never {
    throw mockErrors.needsNode("handlers");
  }

  listen(): never {
    throw mockErrors.needsNode("listen()");
  }

  client(): never {
    throw mockErrors.needsNode("client()");
  }

  async record(): Promise<never> {
    throw mockErrors.needsNode("record()");
  }

  async replay(): Promise<never> {
    throw mockErrors.needsNode("replay()");
  }
}

export const setupMock = (options: MockOptions = {}): Mock => new Mock(options);
