import { readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { secondsIn } from "../../scripts/processor-time.js";
import type { Target } from "../programs/answer.js";
import { createdProjects, send } from "../programs/projects.js";
import { atMost } from "../runner/goals.js";
import { type Load, sendRequests } from "../runner/load.js";
import { type Measurement, type Row, row } from "../runner/measurement.js";
import { startDev } from "../runner/mgmt-dev.js";

/** Time for a server to create databases in advance, and to replace the one that was taken, in milliseconds. No request waits for it. */
const preparationMs = 3_000;

/** Requests to `mgmt dev` over 10 connections: for each operation, the time of its own process, then that of Postgres. Linux only. */
export const platform: readonly Measurement[] = [
  {
    rows: (
      [
        ["projects.get", 150, 100],
        ["projects.list of 2", 150, 100],
        ["projects.create without a database", 350, 250],
        ["databases.connections.create", 4_000, 8_000],
      ] as const
    ).flatMap(([operation, ours, postgres]): Row[] => [
      row(`mgmt dev, ${operation}: Node.js, processor time`, "µs", atMost(ours)),
      row(`mgmt dev, ${operation}: Postgres, processor time`, "µs", atMost(postgres)),
    ]),
    rounds: 7,
    comparesCommits: true,
    subject: {
      name: "mgmt",
      measure: async ({ mgmt }) => {
        const folder = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
        const dev = await startDev(mgmt, ["--data-dir", join(folder, "data")]);
        try {
          const costs: number[] = [];
          for (const load of await loadsOf(dev)) {
            await sendRequests(load);
            const before = processorTimes(dev.pid);
            await sendRequests(load);
            const after = processorTimes(dev.pid);
            costs.push(
              ...after.map((seconds, index) => ((seconds - (before[index] ?? 0)) / load.requests) * 1e6),
            );
          }
          return costs;
        } finally {
          await dev.stop();
          await rm(folder, { recursive: true, force: true });
        }
      },
    },
  },
];

/** Creates projects and a database, and returns the operations in order. Those that create more are the last ones. */
export const loadsOf = async ({ baseUrl, token }: Target, projectCount = 2): Promise<Load[]> => {
  const list = await createdProjects({ baseUrl, token }, projectCount);
  const { data }: { data: { id: string }[] } = JSON.parse(list);
  const url = `${baseUrl}/v1/projects`;
  const one = `${url}/${data[0]?.id ?? ""}`;
  const load = { token, connections: 10, requests: 3_000 };
  const loads = [
    { ...load, url: one, body: await send(one, 200, { token }) },
    { ...load, url, body: list },
    { ...load, url, sent: { name: "bench", createDatabase: false } },
  ];
  const database = await createDatabase({ baseUrl, token }, one);
  await sleep(preparationMs);
  // Postgres makes a role for each, and keeps a password that costs much processor time.
  return [
    ...loads,
    { ...load, url: `${database}/connections`, sent: { name: "bench" }, status: 200, requests: 200 },
  ];
};

/** Creates a database, and waits until it is ready. Returns its URL. */
const createDatabase = async ({ baseUrl, token }: Target, project: string): Promise<string> => {
  const created = await send(`${project}/databases`, 201, { method: "POST", token, body: { name: "bench" } });
  const { data }: { data: { id: string } } = JSON.parse(created);
  const url = `${baseUrl}/v1/databases/${data.id}`;
  const isReady = async (): Promise<boolean> => {
    const { data }: { data: { status: string } } = JSON.parse(await send(url, 200, { token }));
    return data.status === "ready";
  };
  while (!(await isReady())) await sleep(10);
  return url;
};

/** Returns the seconds of processor time that a process has used, and those of all processes below it. */
export const processorTimes = (pid: number): [number, number] => {
  const all = readdirSync("/proc").flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // The name of the program, in parentheses, may contain anything. The state and the parent follow.
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return [{ pid: Number(name), parent: Number(parent), seconds: secondsIn(stat) }];
    } catch {
      // It is no process, or has ended.
      return [];
    }
  });
  const below = (parent: number): number =>
    all.reduce((sum, each) => sum + (each.parent === parent ? each.seconds + below(each.pid) : 0), 0);
  return [all.find((each) => each.pid === pid)?.seconds ?? Number.NaN, below(pid)];
};
