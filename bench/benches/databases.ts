import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import type { Place } from "../programs/calls.js";
import type { Bench, Finding } from "../runner/bench.js";
import { mgmtProgram } from "../runner/paths.js";
import { takeTurns } from "../runner/rounds.js";
import { type ServerProcess, startServerProcess } from "../runner/server-process.js";
import {
  createDatabase,
  createProject,
  proveGuarded,
  proveTenant,
  queryOne,
  selectOnce,
} from "../runner/tenant.js";

/** Real Postgres databases behind `mgmt dev --ephemeral`, with pg as the client. */
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
  const [first, later] = await takeTurns(
    [
      { name: "initdb cache empty", unit: "ms", measure: emptyCache },
      { name: "initdb cache full", unit: "ms", measure: () => coldStart(fullCache) },
    ],
    { warmUp: 1, rounds },
  );
  assert.ok(first && later);
  const aim = { of: "median", relation: "<", limit: 1000 } as const;
  const counted =
    "counted: start of the mgmt process, its Postgres cluster, projects.create over HTTP, waiting for ready, connect, select 1";
  return [
    {
      title: "cold start to the first select 1, first run on a machine",
      subject: first,
      aim,
      notes: [counted],
    },
    { title: "the same, a later run", subject: later, aim },
  ];
};

const nextDatabases = async (caches: string, rounds: number): Promise<Finding> => {
  const server = await startDev(join(caches, "full"));
  try {
    const place = placeOf(server);
    await proveGuarded(place);
    const { projectId, ...initial } = await createProject(place);
    await selectOnce(place, initial);
    const version = await proveTenant(initial.connectionString);
    const [subject, baseline] = await takeTurns(
      [
        {
          name: "next database",
          unit: "ms",
          measure: () => timed(async () => selectOnce(place, await createDatabase(place, projectId))),
        },
        {
          name: "connection to one that is there",
          unit: "ms",
          measure: () => timed(() => queryOne(initial.connectionString)),
        },
      ],
      { warmUp: 2, rounds },
    );
    assert.ok(subject && baseline);
    return {
      title: "create request to select 1 for each next database",
      subject,
      baseline,
      aim: { of: "median", relation: "<", limit: 100 },
      notes: [`postgres ${version}`],
    };
  } finally {
    await server.stop();
  }
};

const coldStart = (cache: string): Promise<number> => {
  let server: ServerProcess | undefined;
  return timed(async () => {
    server = await startDev(cache);
    const place = placeOf(server);
    await selectOnce(place, await createProject(place));
  }).finally(() => server?.stop());
};

/** With this directory as the user's cache, where the platform keeps a cluster fresh from initdb. */
const startDev = (cache: string): Promise<ServerProcess> =>
  startServerProcess([mgmtProgram, "dev", "--ephemeral", "--port", "0", "--output", "json"], {
    ...(platform() === "darwin" ? { HOME: cache } : { XDG_CACHE_HOME: cache }),
  });

const placeOf = ({ ready }: ServerProcess): Place => ({
  baseUrl: String(ready["baseUrl"]),
  token: String(ready["token"]),
});

const timed = async (work: () => Promise<void>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};
