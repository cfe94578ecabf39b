import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Target } from "../programs/calls.js";
import { send } from "../programs/send.js";
import { type Load, sendRequests } from "../runner/http-load.js";
import { hasProcessTimes, processorTimes } from "../runner/process-times.js";
import { checkedList, createProjects } from "../runner/projects.js";
import { startServerProcess } from "../runner/server-process.js";
import type { Measurement, Row } from "./measurement.js";

const connections = 10;
const requests = 3_000;

const operations = ["projects.get", "projects.list of 2", "projects.create without a database"] as const;

/** Requests to `mgmt dev` with a data directory: for each operation, the time of its own process, then that of Postgres. */
export const platformRequests: Measurement = {
  rows: operations.flatMap((operation): Row[] => [
    { title: `mgmt dev, ${operation}: Node.js`, unit: "µs" },
    { title: `mgmt dev, ${operation}: Postgres`, unit: "µs" },
  ]),
  measure: async ({ mgmt }) => {
    assert.ok(hasProcessTimes, "The processor time of other processes is measured on Linux only");
    const folder = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
    const parameters = ["dev", "--data-dir", join(folder, "data"), "--port", "0", "--output", "json"];
    const dev = await startServerProcess([mgmt, ...parameters]);
    try {
      const target = { baseUrl: String(dev.ready["baseUrl"]), token: String(dev.ready["token"]) };
      const costs: number[] = [];
      for (const load of await prepare(target)) costs.push(...(await costsOf(dev.pid, load)));
      return costs;
    } finally {
      await dev.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

type Sent = Pick<Load, "target" | "path" | "sent" | "body">;

/** Creates two projects, and returns the operations in order. The one that creates more is the last one. */
const prepare = async (target: Target): Promise<Sent[]> => {
  await createProjects(send, target, 2);
  const list = await checkedList(send, target, 2);
  const { data }: { data: { id: string }[] } = JSON.parse(list.body);
  const path = `/v1/projects/${data[0]?.id ?? ""}`;
  const one = await send({ url: target.baseUrl + path, token: target.token });
  assert.equal(one.status, 200, one.body);
  return [
    { target, path, body: one.body },
    { target, path: "/v1/projects", body: list.body },
    { target, path: "/v1/projects", sent: { name: "bench", createDatabase: false } },
  ];
};

/** Returns the microseconds of a request in the process, and in all processes below it. */
const costsOf = async (pid: number, sent: Sent): Promise<number[]> => {
  await sendRequests({ ...sent, connections, requests });
  const before = processorTimes(pid);
  await sendRequests({ ...sent, connections, requests });
  const after = processorTimes(pid);
  return [after.own - before.own, after.descendants - before.descendants].map(
    (seconds) => (seconds / requests) * 1e6,
  );
};
