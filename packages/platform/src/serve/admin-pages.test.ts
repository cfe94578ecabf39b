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

const metrics = new ServiceMetrics();
const pages = new AdminPages({
  metrics,
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
    metrics.countRequest("projects.list", 200, 0.02);
    metrics.countRequest("projects.list", null, 3);
    const lines = async (): Promise<string[]> => {
      const [status, text] = await get("/metrics");
      expect(status).toBe(200);
      return text.split("\n").filter((line) => line.startsWith("mgmt_") && !line.includes("_bucket"));
    };
    const requests = [
      'mgmt_requests_total{operation="projects.list",status="200"} 1',
      'mgmt_requests_total{operation="projects.list",status="cut"} 1',
      'mgmt_request_duration_seconds_sum{operation="projects.list"} 3.02',
      'mgmt_request_duration_seconds_count{operation="projects.list"} 2',
    ];
    expect(await lines()).toEqual([
      ...requests,
      'mgmt_databases{status="ready"} 3',
      'mgmt_jobs{state="due"} 2',
      'mgmt_jobs{state="dead"} 1',
      "mgmt_job_lag_seconds 7",
      'mgmt_records_connections{state="total"} 4',
      'mgmt_records_connections{state="idle"} 1',
      'mgmt_records_connections{state="waiting"} 0',
      "mgmt_records_trips 9",
      "mgmt_guard_closed_databases 5",
      "mgmt_records_up 1",
    ]);
    readCounts = () => Promise.reject(new Error("refused"));
    expect(await lines()).toEqual([
      ...requests,
      "mgmt_job_lag_seconds 0",
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
