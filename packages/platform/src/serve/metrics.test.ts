import { expect, it } from "vitest";
import type { RecordCounts } from "@mgmt/cluster/rows/count-rows";
import { ServiceMetrics } from "./metrics.js";

it("counts requests, and has what the records contain at each scrape", async () => {
  const metrics = new ServiceMetrics();
  metrics.countRequest("projects.list", 200, 0.02);
  metrics.countRequest("projects.list", null, 3);
  const lines = async (counts: RecordCounts | undefined): Promise<string[]> =>
    (await metrics.render(counts, 5))
      .split("\n")
      .filter((line) => line.startsWith("mgmt_") && !line.includes("_bucket"));
  const requests = [
    'mgmt_requests_total{operation="projects.list",status="200"} 1',
    'mgmt_requests_total{operation="projects.list",status="cut"} 1',
    'mgmt_request_duration_seconds_sum{operation="projects.list"} 3.02',
    'mgmt_request_duration_seconds_count{operation="projects.list"} 2',
  ];
  const counts: RecordCounts = {
    ...{ databases: { ready: 3 }, jobs: { due: 2, dead: 1 }, jobLagSeconds: 7, recordsTrips: 9 },
    recordsConnections: { total: 4, idle: 1, waiting: 0 },
  };
  expect(await lines(counts)).toEqual([
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
  expect(await lines(undefined)).toEqual([
    ...requests,
    "mgmt_job_lag_seconds 0",
    "mgmt_records_trips 0",
    "mgmt_guard_closed_databases 5",
    "mgmt_records_up 0",
  ]);
});
