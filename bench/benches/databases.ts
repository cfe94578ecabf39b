import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import type { Target } from "../programs/calls.js";
import { BarePostgres } from "../runner/bare-postgres.js";
import type { Bench, Finding } from "../runner/bench.js";
import { goals } from "../runner/goals.js";
import { mgmtProgram } from "../runner/paths.js";
import { measureAlternately } from "../runner/rounds.js";
import { type ServerProcess, startServerProcess } from "../runner/server-process.js";
import {
  createDatabase,
  createProject,
  checkTokenRequired,
  checkTenant,
  queryOne,
} from "../runner/tenant.js";

/** Measures real Postgres databases of `mgmt dev --ephemeral`, with pg as the client. */
export const databases: Bench = {
  name: "databases",
  about: "mgmt dev --ephemeral: cold start to the first `select 1` of a tenant, then each next database",
  run: async (rounds) => {
    const caches = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
    const remove = (): void => rmSync(caches, { recursive: true, force: true });
    process.once("exit", remove);
    try {
      return [...(await coldStarts(caches, rounds ?? 7)), await nextDatabases(caches, rounds ?? 21)];
    } finally {
      process.off("exit", remove);
      remove();
    }
  },
};

const coldStarts = async (caches: string, rounds: number): Promise<Finding[]> => {
  const emptyCache = async (): Promise<number> => {
    const cache = await mkdtemp(join(caches, "empty-"));
    try {
      return await coldStart(cache);
    } finally {
      await rm(cache, { recursive: true, force: true });
    }
  };
  const fullCache = join(caches, "full");
  const [first, later, baseline] = await measureAlternately(
    [
      { name: "mgmt dev, initdb cache empty", unit: "ms", measure: emptyCache },
      { name: "mgmt dev, initdb cache full", unit: "ms", measure: () => coldStart(fullCache) },
      { name: "the same Postgres by hand", unit: "ms", measure: startByHand },
    ],
    { warmUp: 1, rounds },
  );
  assert.ok(first && later && baseline);
  const scope = [
    "mgmt dev includes: start of its process, its Postgres cluster, projects.create over HTTP, connect, select 1",
    "by hand includes: initdb, start of Postgres, a role, its database, connect, select 1; no passwords and no API",
  ];
  return [
    {
      title: "cold start to the first select 1, first run on a machine",
      subject: first,
      baseline,
      goal: goals.databases.first,
    },
    {
      title: "the same, a later run",
      subject: later,
      baseline,
      goal: goals.databases.later,
      notes: scope,
    },
  ];
};

const nextDatabases = async (caches: string, rounds: number): Promise<Finding> => {
  const server = await startDev(join(caches, "full"));
  const bare = await BarePostgres.start();
  try {
    const target = targetOf(server);
    await checkTokenRequired(target);
    const { projectId, ...initial } = await createProject(target);
    await queryOne(initial.connectionString);
    const version = await checkTenant(initial.connectionString);
    // A connection to a database that is being created waits for it.
    const next = async (): Promise<void> =>
      queryOne((await createDatabase(target, projectId)).connectionString);
    const [subject, baseline] = await measureAlternately(
      [
        { name: "next database of mgmt dev", unit: "ms", measure: () => timed(next) },
        { name: "role and database by hand", unit: "ms", measure: () => timed(() => bare.createAndQuery()) },
      ],
      { warmUp: 2, rounds },
    );
    assert.ok(subject && baseline);
    return {
      title: "create request to select 1 for each next database",
      subject,
      baseline,
      goal: goals.databases.next,
      notes: [`postgres ${version}`],
    };
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
  }
};

const startByHand = async (): Promise<number> => {
  let postgres: BarePostgres | undefined;
  return timed(async () => {
    postgres = await BarePostgres.start();
    await postgres.createAndQuery();
  }).finally(() => postgres?.stop());
};

const coldStart = (cache: string): Promise<number> => {
  let server: ServerProcess | undefined;
  return timed(async () => {
    server = await startDev(cache);
    const target = targetOf(server);
    await queryOne((await createProject(target)).connectionString);
  }).finally(() => server?.stop());
};

/** Starts `mgmt dev` with `cache` as the user's cache directory, where the platform caches a cluster created by initdb. */
const startDev = (cache: string): Promise<ServerProcess> =>
  startServerProcess([mgmtProgram, "dev", "--ephemeral", "--port", "0", "--output", "json"], {
    ...(platform() === "darwin" ? { HOME: cache } : { XDG_CACHE_HOME: cache }),
  });

const targetOf = ({ ready }: ServerProcess): Target => ({
  baseUrl: String(ready["baseUrl"]),
  token: String(ready["token"]),
});

const timed = async (work: () => Promise<void>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};
