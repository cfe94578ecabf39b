import { type MgmtClient, createClient } from "@mgmt/sdk";

/**
 * Returns a client of the service. In production, that is a server of your own, which knows the visitor, and passes requests on with a
 * token. Everywhere else, it is a mock in this page, so the page does not need that server.
 */
export const connect = async (): Promise<MgmtClient> => {
  // Vite replaces the mode, so the mock is not part of a production build.
  if (import.meta.env.MODE === "production") {
    return createClient({ baseUrl: `${location.origin}/api`, token: false });
  }
  const { startMock } = await import("./mock.js");
  const mock = await startMock();
  return createClient({ baseUrl: mock.baseUrl, token: () => mock.tokens.user() });
};
