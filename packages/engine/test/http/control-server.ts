import { type RunningServer, controlSecretHeader, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, beforeEach } from "vitest";

export const secret = "correct horse battery staple";

/** Starts a server with a control surface for the tests of a file, and resets it before each. Returns functions that send it requests. */
export const setupControlServer = () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await createServer({
      engineOptions: { deterministic: "control", validateResponses: true },
      controlSecret: secret,
    });
  });
  beforeEach(() => server.engine.reset());
  afterAll(() => server.close());

  return {
    get server(): RunningServer {
      return server;
    },
    control: async <T = Record<string, unknown>>(
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = { [controlSecretHeader]: secret },
    ): Promise<{ status: number; body: T }> => {
      const response = await fetch(`${server.baseUrl}/_control${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      // Each test declares what it expects of the response.
      return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as T };
    },
    /** Returns the status of a request to the API. */
    api: async (method: string, path: string, token: string, body?: unknown): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const response = await fetch(server.baseUrl + path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return response.status;
    },
  };
};
