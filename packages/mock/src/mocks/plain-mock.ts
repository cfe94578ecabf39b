import * as mockErrors from "../errors/mock-errors.js";
import { type MockOptions, MockServer } from "./mock-server.js";
import type { Mock as NodeMock } from "./mock.js";

/** The members that a mock has only in Node.js. */
type NodeMembers = Pick<NodeMock, "handlers" | "listen" | "client" | "record" | "replay">;

/** Replaces the class of mock.ts outside of Node.js: a reference server that is reached with `fetch` alone. */
export class Mock extends MockServer implements NodeMembers {
  constructor(options: MockOptions = {}) {
    super(options, { validateResponses: true });
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
