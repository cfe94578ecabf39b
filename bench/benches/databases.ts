import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { send } from "../programs/projects.js";
import { atMost, below, ratio } from "../runner/goals.js";
import { type Measurement, row } from "../runner/measurement.js";
import { type MgmtDev, startDev } from "../runner/mgmt-dev.js";
import { query, startPostgres } from "../runner/postgres.js";
import { median } from "../runner/report.js";

interface Service {
  /** Creates a database, and runs `select 1` in it. */
  createAndQuery(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes databases in the platform's Postgres by hand. */
const startByHand = async (): Promise<Service> => {
  const { buildUrl, stop } = await startPostgres();
  let databases = 0;
  return {
    createAndQuery: async () => {
      const name = `tenant_${String((databases += 1))}`;
      await query(
        buildUrl("postgres", "postgres"),
        `create role ${name} login`,
        `create database ${name} owner ${name}`,
      );
      await query(buildUrl(name, name), "select 1");
    },
    stop,
  };
};

/** Starts `mgmt dev` with `cache` as the user's cache directory, where the platform caches a cluster created by initdb. */
const startMgmt = async (mgmt: string, cache: string): Promise<Service> => {
  const variable = process.platform === "darwin" ? "HOME" : "XDG_CACHE_HOME";
  const { baseUrl, token, stop }: MgmtDev = await startDev(mgmt, ["--ephemeral"], {
    ...process.env,
    [variable]: cache,
  });
  const create = async <Data>(path: string): Promise<Data> => {
    const created = await send(baseUrl + path, 201, { method: "POST", token, body: { name: "bench" } });
    const { data }: { data: Data } = JSON.parse(created);
    return data;
  };
  let project = "";
  return {
    createAndQuery: async () => {
      let created: { connectionString: string };
      if (project === "") {
        const first = await create<{ id: string; database: typeof created }>("/v1/projects");
        [project, created] = [first.id, first.database];
      } else created = await create(`/v1/projects/${project}/databases`);
      // A connection to a database that is being created waits for it.
      await query(created.connectionString, "select 1");
    },
    stop,
  };
};

const timed = async (work: () => Promise<void>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

const coldStart = async (start: () => Promise<Service>): Promise<number> => {
  let service: Service | undefined;
  return timed(async () => {
    service = await start();
    await service.createAndQuery();
  }).finally(() => service?.stop());
};

const nextDatabase = async (start: () => Promise<Service>): Promise<number> => {
  const service = await start();
  try {
    await service.createAndQuery();
    const times: number[] = [];
    for (let count = 0; count < 5; count += 1) times.push(await timed(service.createAndQuery));
    return median(times);
  } finally {
    await service.stop();
  }
};

const withCache = async <Result>(use: (cache: string) => Promise<Result>): Promise<Result> => {
  const cache = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
  return use(cache).finally(() => rm(cache, { recursive: true, force: true }));
};

const byHand = { name: "the same Postgres by hand", measure: async () => [await coldStart(startByHand)] };

export const databases: readonly Measurement[] = [
  {
    rows: [row("cold start to the first select 1, first run on a machine", "ms", below(1_000))],
    rounds: 7,
    comparesCommits: true,
    subject: {
      name: "mgmt dev, initdb cache empty",
      measure: ({ mgmt }) => withCache(async (cache) => [await coldStart(() => startMgmt(mgmt, cache))]),
    },
    baseline: byHand,
  },
  {
    rows: [row("the same, a later run", "ms", atMost(500))],
    rounds: 7,
    comparesCommits: true,
    subject: {
      name: "mgmt dev, initdb cache full",
      measure: ({ mgmt }) =>
        withCache(async (cache) => {
          await coldStart(() => startMgmt(mgmt, cache));
          return [await coldStart(() => startMgmt(mgmt, cache))];
        }),
    },
    baseline: byHand,
  },
  {
    rows: [row("create request to select 1 for each next database", "ms", ratio(0.55))],
    rounds: 7,
    comparesCommits: true,
    subject: {
      name: "next database of mgmt dev",
      measure: ({ mgmt }) => withCache(async (cache) => [await nextDatabase(() => startMgmt(mgmt, cache))]),
    },
    baseline: {
      name: "role and database by hand",
      measure: async () => [await nextDatabase(startByHand)],
    },
  },
];
