import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";

/** What the server was sent. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A real HTTP server on loopback that answers as it is told, and remembers what it was sent. */
export interface TestServer {
  baseUrl: string;
  seen: Seen[];
}

type Answer = (request: Seen, response: ServerResponse, count: number) => void;

const open = new Set<{ close(): void; closeAllConnections(): void }>();

afterEach(() => {
  for (const server of open) {
    server.closeAllConnections();
    server.close();
  }
  open.clear();
});

/** Ends with the test. */
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
  open.add(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, seen };
};

/** Returns the base URL of a port on which nothing listens: a server has just left it. */
export const closedUrl = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
};

/** Answers JSON, with a request id. */
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

/** A server that gives the one answer, to whatever it is asked. */
export const answering = (body: unknown = { data: { id: "proj_1" } }, status = 200, headers = {}) =>
  startServer((_, response) => json(response, status, body, headers));

/** What a promise is rejected with. */
export const thrown = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("It was not rejected.");
};
