import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ListServer, serveCalls } from "./calls.js";
import { listen } from "./listen.js";
import { processorTime } from "./processor-time.js";

const token = "a-good-token";
let served = 0;

/** Serves a list of ids from `p-0` at every path, in a form that all contenders accept, to callers with the token. */
serveCalls<ListServer>({
  start: async ({ pages, itemsPerPage, latencyMs }) => {
    const bodies = Array.from({ length: pages }, (_, page) => pageOf(page, itemsPerPage, page < pages - 1));
    const server = createServer((request, response) => {
      const respond = (): void => {
        const { pathname, searchParams } = new URL(request.url ?? "", "http://loopback");
        const mayAsk = request.headers.authorization?.endsWith(` ${token}`) === true;
        const body = mayAsk ? bodies[Number(searchParams.get("cursor") ?? 0)] : refusal;
        served += 1;
        response.writeHead(mayAsk ? 200 : 401, { "content-type": "application/json", "x-path": pathname });
        response.end(body);
      };
      if (latencyMs === 0) respond();
      else void sleep(latencyMs).then(respond);
    });
    return { baseUrl: await listen(server), token };
  },
  served: () => served,
  processorTime,
});

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
