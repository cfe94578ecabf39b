import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { encode, goodRequest } from "./oauth-api.js";
import { PageVisitor } from "./page-visitor.js";

/** The address at which a login begins. */
export const start = `/authorize?${encode({ ...goodRequest, scope: "workspace:admin offline_access" })}`;

/** Returns a server that is reset before each test of a file, and a new visitor of its pages. Call it outside of tests and hooks. */
export const useAuthorizationPage = (): { readonly server: RunningServer; readonly visitor: PageVisitor } => {
  let server: RunningServer;
  let visitor: PageVisitor;
  beforeAll(async () => {
    server = await createServer({ engineOptions: { deterministic: "page" } });
  });
  beforeEach(async () => {
    await server.engine.reset();
    visitor = new PageVisitor(server.baseUrl);
  });
  afterAll(() => server.close());
  return {
    get server() {
      return server;
    },
    get visitor() {
      return visitor;
    },
  };
};
