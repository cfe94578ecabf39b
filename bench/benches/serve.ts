import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { send } from "../programs/projects.js";
import { atMost, ratio } from "../runner/goals.js";
import { type Load, sendRequests } from "../runner/load.js";
import { type Contender, type Measurement, row } from "../runner/measurement.js";
import { type MgmtServer, type MgmtService, serviceName, withService } from "../runner/mgmt-serve.js";
import { query } from "../runner/postgres.js";
import { median } from "../runner/report.js";
import { loadsOf, processorTimes } from "./platform.js";

const projectCount = 50;

/** The operations of `loadsOf`, with the processor time that their requests should take: of the server and of Postgres, in microseconds. */
const operations = [
  ["projects.get", 250, 250],
  [`projects.list of ${String(projectCount)}`, 450, 350],
  ["projects.create without a database", 600, 450],
  ["databases.connections.create", 8_000, 16_000],
] as const;

/** How much more the requests may cost with several servers than with one. */
const maxCostRatio = 1.15;

/** Time until connections that are not needed are closed, and in which transactions are counted, in seconds. */
const idleSeconds = { before: 15, counted: 20 };

const measureWith = (
  serverCount: number,
  measure: (service: MgmtService) => Promise<readonly number[]>,
): Contender => ({
  name: "mgmt",
  measure: ({ mgmt }) => withService(mgmt, serverCount, measure),
});

/** Returns the processor time of the servers, and that of Postgres, for a request of each operation, in microseconds. */
const measureCosts = async (
  { servers, postgres }: MgmtService,
  operationCount: number = operations.length,
): Promise<[number, number][]> => {
  const costs: [number, number][] = [];
  const readTimes = (): [number, number] => {
    const [postmaster, sessions] = processorTimes(postgres.pid);
    return [
      servers.map(({ pid }) => processorTimes(pid)[0]).reduce((sum, seconds) => sum + seconds, 0),
      postmaster + sessions,
    ];
  };
  const loads = await loadsOf(servers[0], projectCount);
  for (const load of loads.slice(0, operationCount)) {
    const sendToAll = async (): Promise<void> => {
      await Promise.all(servers.map((server) => sendRequests(divideLoad(load, servers, server))));
    };
    await sendToAll();
    const before = readTimes();
    await sendToAll();
    const after = readTimes();
    const costOf = (index: 0 | 1): number =>
      ((after[index] - before[index]) / load.requests / servers.length) * 1e6;
    costs.push([costOf(0), costOf(1)]);
  }
  return costs;
};

/** Returns the part of a load of one of several servers, which have as many connections together as one server alone. */
const divideLoad = (load: Load, [first, ...others]: MgmtService["servers"], server: MgmtServer): Load => ({
  ...load,
  url: load.url.replace(first.baseUrl, server.baseUrl),
  connections: Math.ceil(load.connections / (1 + others.length)),
});

/** The operations that are compared with several servers: not the one whose costs are those of a password. */
const comparedOperations = operations.slice(0, 3);

const severalServers = [2, 4] as const;

/** Returns the processor time for a request of each compared operation, of the servers and of Postgres together, in microseconds. */
const measureTotalCosts = async (service: MgmtService): Promise<number[]> =>
  (await measureCosts(service, comparedOperations.length)).map(([ours, postgres]) => ours + postgres);

/** Returns the round trips to the records that a server has made. */
const readTrips = async ({ adminUrl }: MgmtServer): Promise<number> => {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^mgmt_records_trips (\d+)$/m.exec(metrics)?.[1]);
};

interface Project {
  readonly id: string;
  readonly database: { readonly id: string; readonly connectionString: string };
}

const createProject = async ({ baseUrl, token }: MgmtServer, body: object): Promise<Project> => {
  const created = await send(`${baseUrl}/v1/projects`, 201, { method: "POST", token, body });
  const { data }: { data: Project } = JSON.parse(created);
  return data;
};

/** Waits until a database is ready. Returns the number of requests for that. */
const awaitDatabase = async ({ baseUrl, token }: MgmtServer, id: string): Promise<number> => {
  for (let count = 1; ; count += 1) {
    const { data }: { data: { status: string } } = JSON.parse(
      await send(`${baseUrl}/v1/databases/${id}`, 200, { token }),
    );
    if (data.status === "ready") return count;
    await sleep(5);
  }
};

/** Returns how many round trips to the records each operation takes. */
const measureTrips = async ({ servers: [server] }: MgmtService): Promise<number[]> => {
  const { baseUrl, token } = server;
  const projects = `${baseUrl}/v1/projects`;
  const { id } = await createProject(server, { name: "bench", createDatabase: false });
  /** @param work returns how many requests it has sent besides, each of which takes one trip. */
  const countTrips = async (times: number, work: () => Promise<number>): Promise<number> => {
    await work();
    const before = await readTrips(server);
    let otherTrips = 0;
    for (let time = 0; time < times; time += 1) otherTrips += await work();
    return ((await readTrips(server)) - before - otherTrips) / times;
  };
  const get = (url: string): Promise<number> => send(url, 200, { token }).then(() => 0);
  return [
    await countTrips(1_000, () => get(`${projects}/${id}`)),
    await countTrips(1_000, () => get(projects)),
    await countTrips(200, () =>
      createProject(server, { name: "bench", createDatabase: false }).then(() => 0),
    ),
    await countTrips(20, async () => awaitDatabase(server, (await createProject(server, {})).database.id)),
  ];
};

/** Returns the time from the request for a project until its database has answered, in milliseconds. */
const measureCreation = async ({ servers: [server] }: MgmtService): Promise<number[]> => {
  const times: number[] = [];
  for (let count = 0; count < 9; count += 1) {
    // The databases that are prepared for creations are complete again.
    await sleep(2_000);
    const startedAt = performance.now();
    const { database } = await createProject(server, {});
    await awaitDatabase(server, database.id);
    await query(database.connectionString, "select 1");
    times.push(performance.now() - startedAt);
  }
  return [median(times)];
};

/** Returns the transactions a second and the connections of each server while nobody calls it. */
const measureIdle = async ({ postgres, servers }: MgmtService): Promise<number[]> => {
  const observer = new pg.Client({ connectionString: postgres.buildUrl("postgres", "postgres") });
  await observer.connect();
  try {
    const readNumber = async (text: string): Promise<number> => {
      const { rows } = await observer.query<{ value: number }>(text, [serviceName]);
      return rows[0]?.value ?? Number.NaN;
    };
    const readTransactions = (): Promise<number> =>
      readNumber(
        "select (xact_commit + xact_rollback)::float8 as value from pg_stat_database where datname = $1",
      );
    await sleep(idleSeconds.before * 1_000);
    const before = await readTransactions();
    await sleep(idleSeconds.counted * 1_000);
    const transactions = (await readTransactions()) - before;
    const connections = await readNumber(
      "select count(*)::float8 as value from pg_stat_activity where usename = $1",
    );
    return [transactions / idleSeconds.counted / servers.length, connections / servers.length];
  } finally {
    await observer.end();
  }
};

const idle = (serverCount: number): Measurement => ({
  rows: [
    row(`transactions of each of ${String(serverCount)} servers without requests`, "1/s", atMost(2)),
    row(`connections of each of ${String(serverCount)} servers without requests`, "connections", atMost(5)),
  ],
  rounds: 1,
  subject: measureWith(serverCount, measureIdle),
});

/** Requests to servers of `mgmt serve` over 10 connections in all, and what the servers do without requests. Linux only. */
export const serve: readonly Measurement[] = [
  {
    rows: [
      row("projects.get: round trips", "trips", atMost(1.05)),
      row("projects.list: round trips", "trips", atMost(1.05)),
      row("projects.create without a database: round trips", "trips", atMost(2.05)),
      row("projects.create with a database and its job: round trips", "trips", atMost(4.5)),
    ],
    rounds: 1,
    subject: measureWith(1, async (service) => {
      const trips = await measureTrips(service);
      // Of the last ones, the job takes two: it reads the database, and is removed when it changes its status. Looks for jobs come to these.
      assert.deepEqual(trips.map(Math.round), [1, 1, 2, 4]);
      return trips;
    }),
  },
  {
    rows: operations.flatMap(([operation, ours, postgres]) => [
      row(`mgmt serve, ${operation}: Node.js, processor time`, "µs", atMost(ours)),
      row(`mgmt serve, ${operation}: Postgres, processor time`, "µs", atMost(postgres)),
    ]),
    rounds: 5,
    subject: measureWith(1, async (service) => (await measureCosts(service)).flat()),
  },
  {
    rows: severalServers.flatMap((serverCount) =>
      comparedOperations.map(([operation]) =>
        row(
          `${operation} with ${String(serverCount)} servers: processor time in all`,
          "µs",
          ratio(maxCostRatio),
        ),
      ),
    ),
    rounds: 3,
    subject: {
      name: "several servers",
      measure: async ({ mgmt }) => {
        const costs: number[] = [];
        for (const serverCount of severalServers)
          costs.push(...(await withService(mgmt, serverCount, measureTotalCosts)));
        return costs;
      },
    },
    baseline: {
      name: "1 server",
      measure: async ({ mgmt }) => {
        const costs = await withService(mgmt, 1, measureTotalCosts);
        return severalServers.flatMap(() => costs);
      },
    },
  },
  {
    rows: [row("create request to select 1 with a prepared database", "ms", atMost(100))],
    rounds: 3,
    subject: measureWith(1, measureCreation),
  },
  idle(1),
  idle(2),
];
