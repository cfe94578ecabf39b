import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CannedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** A service that answers whatever a test needs: what ours would never say. */
export const startAnswers = async (
  answer: (request: IncomingMessage) => CannedAnswer,
): Promise<{ env: NodeJS.ProcessEnv; close: () => void }> => {
  const server = createServer((request, response) => {
    const { status = 200, headers, body } = answer(request);
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
