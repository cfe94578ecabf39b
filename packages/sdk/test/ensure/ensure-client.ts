import { type RunningServer, createServer } from "@mgmt/mock/server";
import { type MgmtClient, createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { immediatePauses } from "../immediate-pauses.js";

/**
 * Returns a server that is reset before each test of a file, and a client of it that does not wait between attempts. Call it outside of
 * tests and hooks.
 */
export const useEnsureClient = (): { readonly server: RunningServer; readonly client: MgmtClient } => {
  let server: RunningServer;
  let client: MgmtClient;
  beforeAll(async () => {
    server = await createServer();
  });
  beforeEach(async () => {
    await server.engine.reset();
    const token = await server.engine.tokens.user();
    client = createClient({
      baseUrl: server.baseUrl,
      token,
      transport: nodeTransport(),
      timers: immediatePauses,
    });
  });
  afterAll(() => server.close());
  return {
    get server() {
      return server;
    },
    get client() {
      return client;
    },
  };
};
