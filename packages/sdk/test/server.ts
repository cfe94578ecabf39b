import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request that the server received. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A real HTTP server on loopback that records what it receives. */
export interface TestServer {
  baseUrl: string;
  seen: Seen[];
}

type Answer = (request: Seen, response: ServerResponse, count: number) => void;

/** Starts a server that closes when the test ends. */
export const startServer = async (answer: Answer): Promise<TestServer> => {
  const seen: Seen[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
      seen.push(request);
      answer(request, response, seen.length);
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, seen };
};

/**
 * A base URL on which nothing listens. The system gives a port below 1024 to no program that asks for any free port, as it does with that
 * of a server that was closed, and `fetch` does not refuse this one: https://fetch.spec.whatwg.org/#port-blocking
 */
export const closedUrl = "http://127.0.0.1:2";

/** Sends a JSON response with a request ID. */
export const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, {
    "content-type": "application/json",
    "x-request-id": "req_1",
    ...headers,
  });
  response.end(JSON.stringify(body));
};

/** Starts a server that sends the same response to every request. */
export const answering = (body: unknown = { data: { id: "proj_1" } }, status = 200, headers = {}) =>
  startServer((_, response) => json(response, status, body, headers));

/** Returns the reason a promise is rejected with. */
export const thrown = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("The promise was not rejected.");
};
