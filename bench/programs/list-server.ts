import { readFileSync } from "node:fs";
import { type RequestListener, createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { answer } from "./answer.js";
import { listen } from "./listen.js";

const token = "a-good-token";

export interface Lists {
  readonly pages: number;
  readonly itemsPerPage: number;
  /** Milliseconds before each response. Default: none. */
  readonly latencyMs?: number;
  /** Files with a key and a certificate for `127.0.0.1`. Default: no TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

const pageOf = (page: number, itemsPerPage: number, hasMore: boolean): Buffer => {
  const data = Array.from({ length: itemsPerPage }, (_, index) => projectOf(page * itemsPerPage + index));
  const pagination = { nextCursor: hasMore ? String(page + 1) : null, hasMore };
  return Buffer.from(JSON.stringify({ object: "list", data, has_more: false, url: "/v1/list", pagination }));
};

const projectOf = (index: number): object => ({
  id: `p-${String(index)}`,
  type: "project",
  url: `https://api.example.com/v1/projects/p-${String(index)}`,
  name: `bench ${String(index)}`,
  createdAt: "2026-01-01T00:00:00.000Z",
  defaultRegion: null,
  workspace: { id: "w-0", url: "https://api.example.com/v1/workspaces/w-0", name: "bench" },
});

const refusal = '{"error":{"code":"auth:unauthorized","message":"The token is missing or wrong."}}';

/** Serves a list of ids from `p-0` at every path, in a form that all contenders accept, to callers with the token. */
await answer(async ({ pages, itemsPerPage, latencyMs, tls }: Lists) => {
  const bodies = Array.from({ length: pages }, (_, page) => pageOf(page, itemsPerPage, page < pages - 1));
  const listener: RequestListener = (request, response) => {
    const respond = (): void => {
      const { searchParams } = new URL(request.url ?? "", "http://loopback");
      const mayAsk = request.headers.authorization?.endsWith(` ${token}`) === true;
      response.writeHead(mayAsk ? 200 : 401, { "content-type": "application/json" });
      response.end(mayAsk ? bodies[Number(searchParams.get("cursor") ?? 0)] : refusal);
    };
    if (latencyMs === undefined) respond();
    else void sleep(latencyMs).then(respond);
  };
  if (!tls) return { baseUrl: await listen(createServer(listener)), token };
  const identity = { key: readFileSync(tls.key), cert: readFileSync(tls.cert) };
  const origin = await listen(createTlsServer(identity, listener));
  return { baseUrl: origin.replace(/^http:/, "https:"), token };
});
