import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../programs/listen.js";
import type { ReceivedRequest, Reply } from "./sdk.js";

/** A response, an end of the connection without one, or no response at all. */
export type Script = Reply | "end" | "hang";

export interface ScriptedServer {
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
}

/**
 * Runs `use` with a server on loopback.
 *
 * @param script what each request gets, in order; the last one is repeated. It is given the URL of the server.
 */
export const withServer = <Result>(
  script: (baseUrl: string) => readonly [Script, ...Script[]],
  use: (server: ScriptedServer) => Promise<Result>,
): Promise<Result> =>
  withResponses((_, index, baseUrl) => {
    const scripts = script(baseUrl);
    return scripts[index] ?? scripts[scripts.length - 1] ?? "end";
  }, use);

/**
 * Runs `use` with a server on loopback.
 *
 * @param scriptOf returns what a request gets. `index` is the number of requests before it.
 */
export const withResponses = async <Result>(
  scriptOf: (request: ReceivedRequest, index: number, baseUrl: string) => Promise<Script> | Script,
  use: (server: ScriptedServer) => Promise<Result>,
): Promise<Result> => {
  const requests: ReceivedRequest[] = [];
  let baseUrl = "";
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { method = "", url: path = "", headers } = request;
    const received = { method, path, headers, body };
    requests.push(received);
    respond(response, await scriptOf(received, requests.length - 1, baseUrl));
  };
  const server = createServer((request, response) => void handle(request, response));
  baseUrl = await listen(server);
  try {
    return await use({ baseUrl, requests });
  } finally {
    server.close();
    server.closeAllConnections();
  }
};

const respond = (response: ServerResponse, script: Script): void => {
  if (script === "hang") return;
  if (script === "end") {
    response.destroy();
    return;
  }
  const { status = 200, headers = {}, body } = script;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};
