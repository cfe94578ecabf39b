import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RecordCounts } from "@mgmt/cluster/rows/count-rows";
import { AdminPages } from "./admin-pages.js";
import { ServiceMetrics } from "./metrics.js";

const counts: RecordCounts = {
  ...{ databases: { ready: 3 }, jobs: { due: 2, dead: 1 }, jobLagSeconds: 7, recordsTrips: 9 },
  recordsConnections: { total: 4, idle: 1, waiting: 0 },
};
let unreadiness: string | undefined;
let readCounts: () => Promise<RecordCounts>;
beforeEach(() => {
  unreadiness = undefined;
  readCounts = () => Promise.resolve(counts);
});

const pages = new AdminPages({
  metrics: new ServiceMetrics(),
  getUnreadiness: () => unreadiness,
  readCounts: () => readCounts(),
  countClosed: () => 5,
});
const server = createServer((request, response) => {
  const names = ["/healthz", "/readyz", "/metrics"];
  if (!pages.respond(request, response, names)) response.writeHead(404).end();
});
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a host.
  address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => void server.close());

const get = async (path: string, method = "GET"): Promise<[number, string]> => {
  const response = await fetch(address + path, { method });
  return [response.status, await response.text()];
};

describe("the pages for operators", () => {
  it("say whether the server takes requests", async () => {
    expect(await get("/readyz?from=balancer")).toEqual([200, "ready\n"]);
    expect(await get("/readyz", "HEAD")).toEqual([200, ""]);
    readCounts = () => Promise.reject(new Error("refused"));
    expect(await get("/readyz")).toEqual([503, "the records cannot be reached\n"]);
    unreadiness = "the server stops";
    expect(await get("/readyz")).toEqual([503, "the server stops\n"]);
    expect(await get("/healthz")).toEqual([200, "ok\n"]);
  });

  it("have the metrics, also while the records cannot be reached", async () => {
    const lines = async (): Promise<string[]> => {
      const [status, text] = await get("/metrics");
      expect(status).toBe(200);
      return text.split("\n").filter((line) => /^mgmt_(records_trips|guard|records_up)/.test(line));
    };
    expect(await lines()).toEqual([
      "mgmt_records_trips 9",
      "mgmt_guard_closed_databases 5",
      "mgmt_records_up 1",
    ]);
    readCounts = () => Promise.reject(new Error("refused"));
    expect(await lines()).toEqual([
      "mgmt_records_trips 0",
      "mgmt_guard_closed_databases 5",
      "mgmt_records_up 0",
    ]);
  });

  it.each([
    ["/metrics", "POST", 405],
    ["/other", "GET", 404],
    ["/healthz/", "GET", 404],
    ["/constructor", "GET", 404],
  ])("respond to %s by %s with %i", async (path, method, status) => {
    expect(await get(path, method)).toEqual([status, ""]);
  });
});
