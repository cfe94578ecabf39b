import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { atMost } from "../runner/goals.js";
import { sendRequests } from "../runner/load.js";
import { type Measurement, type Row, row } from "../runner/measurement.js";
import { type Postgres, query, startPostgres } from "../runner/postgres.js";
import { loadsOf, processorTimes } from "./platform.js";

/** Requests to one server of `mgmt serve` over 10 connections: the time of its process, then that of Postgres. Linux only. */
export const serve: readonly Measurement[] = [
  {
    rows: (
      [
        ["projects.get", 250, 250],
        ["projects.list of 2", 250, 250],
        ["projects.create without a database", 600, 450],
        ["databases.connections.create", 8_000, 16_000],
      ] as const
    ).flatMap(([operation, ours, postgres]): Row[] => [
      row(`mgmt serve, ${operation}: Node.js, processor time`, "µs", atMost(ours)),
      row(`mgmt serve, ${operation}: Postgres, processor time`, "µs", atMost(postgres)),
    ]),
    rounds: 5,
    subject: {
      name: "mgmt",
      measure: async ({ mgmt }) => {
        const folder = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
        const postgres = await startPostgres();
        try {
          const service = await startService(mgmt, postgres, folder);
          const costs: number[] = [];
          for (const load of await loadsOf(service)) {
            await sendRequests(load);
            const before = readTimes(service.pid, postgres.pid);
            await sendRequests(load);
            const after = readTimes(service.pid, postgres.pid);
            costs.push(
              ...after.map((seconds, index) => ((seconds - (before[index] ?? 0)) / load.requests) * 1e6),
            );
          }
          await service.stop();
          return costs;
        } finally {
          await postgres.stop();
          await rm(folder, { recursive: true, force: true });
        }
      },
    },
  },
];

/** Returns the processor time of a server, and that of Postgres with all its processes, in seconds. */
const readTimes = (serverPid: number, postgresPid: number): [number, number] => {
  const [server] = processorTimes(serverPid);
  const [postmaster, sessions] = processorTimes(postgresPid);
  return [server, postmaster + sessions];
};

interface Service {
  readonly baseUrl: string;
  readonly token: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Creates a service on a Postgres server, and starts one server of it. */
const startService = async (mgmt: string, postgres: Postgres, folder: string): Promise<Service> => {
  await query(
    postgres.buildUrl("postgres", "postgres"),
    "create role service login createdb createrole",
    "grant pg_signal_backend to service",
  );
  const env = {
    ...process.env,
    MGMT_SERVE_DATABASE_URL: postgres.buildUrl("service", "service"),
    MGMT_SERVE_KEY_FILE: join(folder, "keys"),
    MGMT_SERVE_LISTEN: "127.0.0.1:0",
    MGMT_SERVE_BASE_URL: "http://127.0.0.1",
  };
  const run = (...parameters: string[]): ChildProcess =>
    spawn(process.execPath, [mgmt, "serve", ...parameters], { env, stdio: ["ignore", "pipe", "inherit"] });
  const secretFile = join(folder, "token");
  const owner = ["--workspace", "bench", "--owner", "bench@example.com"];
  const [status] = await once(run("init", ...owner, "--secret-file", secretFile), "exit");
  if (status !== 0) throw new Error(`mgmt serve init exited with ${String(status)}`);
  const server = run();
  const ended = once(server, "exit");
  if (server.stdout === null) throw new Error("mgmt serve has no output");
  for await (const line of createInterface({ input: server.stdout })) {
    const { msg, address }: { msg?: string; address?: string } = JSON.parse(line);
    if (msg !== "ready" || address === undefined) continue;
    server.stdout.resume();
    return {
      baseUrl: address,
      token: (await readFile(secretFile, "utf8")).trim(),
      pid: Number(server.pid),
      stop: async () => {
        server.kill("SIGTERM");
        await ended;
      },
    };
  }
  throw new Error("mgmt serve ended before it was ready");
};
