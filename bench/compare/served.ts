import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../programs/listen.js";
import type { Cell, Row } from "./row.js";
import type { ReceivedRequest, Reply, Sdk } from "./sdk.js";

export const token = "a-good-token-that-is-a-secret";

/** A response, an end of the connection without one, or no response at all. */
export type Script = Reply | "end" | "hang";

export interface Served {
  readonly sdk: Sdk;
  /** A client of the server, with its default options. */
  readonly client: unknown;
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
}

/**
 * Runs `use` with a server on loopback.
 *
 * @param script what each request gets. `index` is the number of requests before it.
 */
export const served = async <Result>(
  sdk: Sdk,
  script: (request: ReceivedRequest, index: number) => Promise<Script> | Script,
  use: (served: Served) => Promise<Result>,
): Promise<Result> => {
  const requests: ReceivedRequest[] = [];
  const server = createServer();
  const baseUrl = await listen(server);
  server.on("request", (request, response) => {
    void text(request).then(async (body) => {
      const { method = "", url: path = "", headers } = request;
      requests.push({ method, path, headers, body });
      const reply = await script({ method, path, headers, body }, requests.length - 1);
      if (reply === "hang") return;
      if (reply === "end") {
        response.destroy();
        return;
      }
      for (const [name, value] of Object.entries({ "content-type": "application/json", ...reply.headers }))
        response.setHeader(name, value.replace("{baseUrl}", baseUrl));
      response.writeHead(reply.status ?? 200).end(JSON.stringify(reply.body));
    });
  });
  try {
    return await use({ sdk, client: sdk.client(baseUrl, token), baseUrl, requests });
  } finally {
    server.close();
    server.closeAllConnections();
  }
};

/** A row whose requests get these responses, in order; the last one is repeated. */
export const servedRow = (
  title: string,
  script: (sdk: Sdk) => readonly Script[],
  use: (served: Served) => Promise<Cell>,
): Row => ({
  title,
  measure: (sdk) => {
    const scripts = script(sdk);
    return served(sdk, (_, index) => scripts[index] ?? scripts.at(-1) ?? "end", use);
  },
});
