import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CannedResponse {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** Starts a service that returns whatever a test needs, including what the reference server never returns. */
export const startCannedServer = async (
  respond: (request: IncomingMessage) => CannedResponse,
): Promise<{ env: NodeJS.ProcessEnv; close: () => void }> => {
  const server = createServer((request, response) => {
    const { status = 200, headers, body } = respond(request);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a host has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    env: { MGMT_BASE_URL: `http://127.0.0.1:${String(port)}`, MGMT_TOKEN: "token" },
    close: () => server.close(),
  };
};
