import type { ServerOptions } from "@mgmt/engine/http";
import { type ServedMock, createServer } from "../mocks/served-mock.js";

/** Options of the server that tests use. */
export interface TestServerOptions extends Pick<ServerOptions, "engineOptions" | "controlSecret"> {
  /** Whether a test fails if a fault that it has added has applied to no request. Default: false. */
  assertFaultsStruck?: boolean | undefined;
}

/** A mock that is reached over HTTP. */
export interface TestServer {
  /** State, clock, faults, tokens: everything that `setupMock` returns, except interception. */
  readonly mock: ServedMock;
  /** Base URL of the API, without a trailing slash and without `/v1`. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Starts a mock on a free port. It checks its own responses against the contract. */
export const startTestServer = async ({
  engineOptions,
  assertFaultsStruck: _,
  ...options
}: TestServerOptions = {}): Promise<TestServer> => {
  const { engine, baseUrl, close } = await createServer({
    ...options,
    engineOptions: { validateResponses: true, ...engineOptions },
  });
  // A test has finished when it closes its server, so nothing waits for the requests in progress.
  return { mock: engine, baseUrl, close: () => close(0) };
};
