import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import type { Bench, Finding, Series, Unit } from "../runner/bench.js";
import { goals } from "../runner/goals.js";
import { runPostgresProgram } from "../runner/postgres-programs.js";
import { offerTls } from "../runner/postgres-tls.js";
import { hasProcessTimes, processorTimes } from "../runner/process-times.js";
import { mgmtProgram } from "../runner/paths.js";
import { measureAlternately } from "../runner/rounds.js";
import { startServerProcess } from "../runner/server-process.js";
import { createProject, queryOne } from "../runner/tenant.js";

/** Rows of pgbench's largest table are 100,000 times this. */
const scale = 5;
const clients = 8;
const seconds = 3;
const rows = 100_000;
/** Characters in a row of the table that is copied: with the line feed, 100 MB in all. */
const width = 999;
const megabytes = (rows * (width + 1)) / 1_000_000;

/** Measures what the front of the databases costs, which gives each login its own database and offers TLS. */
export const front: Bench = {
  name: "front",
  about: "queries and COPY of a tenant of `mgmt dev` through the front, with pgbench and psql",
  run: async (rounds = 7) => {
    const server = await startServerProcess([
      mgmtProgram,
      "dev",
      "--ephemeral",
      "--port",
      "0",
      "--output",
      "json",
    ]);
    const folder = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
    try {
      const target = { baseUrl: String(server.ready["baseUrl"]), token: String(server.ready["token"]) };
      const database = await createProject(target);
      await queryOne(database.connectionString);
      await offerTls(dirname(String(server.ready["controlSecretFile"])));
      const routes = routesOf(database.connectionString, Number(server.ready["postgresPort"]));
      await checkRoutes(routes);
      return [
        ...(await selects(routes, { pid: server.pid, rounds })),
        ...(await copies(routes, folder, rounds)),
      ];
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Connection strings of one login, without and with TLS. */
interface Routes {
  front: string;
  frontTls: string;
  direct: string;
  directTls: string;
}

const routesOf = (connectionString: string, postgresPort: number): Routes => {
  const route = (sslmode: string, port?: number): string => {
    const url = new URL(connectionString);
    url.searchParams.set("sslmode", sslmode);
    if (port !== undefined) url.port = String(port);
    return url.href;
  };
  return {
    front: route("disable"),
    frontTls: route("require"),
    direct: route("disable", postgresPort),
    directTls: route("require", postgresPort),
  };
};

/** Checks that both ports lead to the same database, that the password is needed on both, and that Postgres offers TLS. */
const checkRoutes = async ({ front, direct, directTls }: Routes): Promise<void> => {
  const databases = await Promise.all([front, direct].map(databaseAt));
  assert.equal(databases[0], databases[1]);
  for (const route of [front, direct]) {
    const wrong = new URL(route);
    wrong.password = "wrong";
    await assert.rejects(databaseAt(wrong.href), { code: "28P01" });
  }
  // Postgres reads its settings again some time after the signal.
  for (let attempts = 1; ; attempts += 1) {
    try {
      await runPostgresProgram("psql", directTls, ["--command", "select 1"]);
      return;
    } catch (error) {
      if (attempts === 100) throw error;
    }
  }
};

const databaseAt = async (connectionString: string): Promise<string | undefined> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>("select current_database() as name");
    return rows[0]?.name;
  } finally {
    await client.end();
  }
};

const selects = async (
  routes: Routes,
  { pid, rounds }: { pid: number; rounds: number },
): Promise<Finding[]> => {
  await runPostgresProgram("pgbench", routes.direct, ["--initialize", "--quiet", "--scale", String(scale)]);
  /** Microseconds of a transaction in `mgmt dev` and its Postgres, by connection string. */
  const costs = new Map<string, number[]>();
  const measure = (route: string) => async (): Promise<number> => {
    const before = secondsOf(pid);
    const load = ["--client", String(clients), "--jobs", "2", "--time", String(seconds)];
    const output = await runPostgresProgram("pgbench", route, ["--select-only", "--no-vacuum", ...load]);
    const spent = secondsOf(pid) - before;
    const [, rate] = /^tps = ([\d.]+)/m.exec(output) ?? [];
    const [, count] = /^number of transactions actually processed: (\d+)/m.exec(output) ?? [];
    assert.ok(rate && count, output);
    assert.match(output, /^number of failed transactions: 0 /m);
    costs.set(route, [...(costs.get(route) ?? []), (spent / Number(count)) * 1e6]);
    return Number(rate);
  };
  const title = `pgbench --select-only with ${String(clients)} clients, ${String(seconds)} s a round`;
  const rates = await compare(title, "tx/s", { routes, measure, rounds });
  if (!hasProcessTimes) return rates;
  const cost = (name: string, route: string): Series => ({
    name,
    unit: "µs",
    rounds: costs.get(route)?.slice(-rounds) ?? [],
  });
  const { front, frontTls, direct, directTls } = routes;
  const [subject, subjectTls] = [front, frontTls].map((route) => cost("the front and Postgres", route));
  const [baseline, baselineTls] = [direct, directTls].map((route) => cost("Postgres, direct port", route));
  assert.ok(subject && subjectTls && baseline && baselineTls);
  return [
    ...rates,
    { title: "processor time of a transaction", subject, baseline, goal: goals.front.costs },
    {
      title: "the same, over TLS",
      subject: subjectTls,
      baseline: baselineTls,
      goal: goals.front.costs,
    },
  ];
};

const secondsOf = (pid: number): number => {
  if (!hasProcessTimes) return 0;
  const { own, descendants } = processorTimes(pid);
  return own + descendants;
};

/** Measures all routes alternately. */
const compare = async (
  title: string,
  unit: Unit,
  {
    routes,
    measure,
    rounds,
  }: { routes: Routes; measure: (route: string) => () => Promise<number>; rounds: number },
): Promise<Finding[]> => {
  const [subject, subjectTls, baseline, baselineTls] = await measureAlternately(
    [
      { name: "through the front", unit, measure: measure(routes.front) },
      { name: "through the front", unit, measure: measure(routes.frontTls) },
      { name: "direct port", unit, measure: measure(routes.direct) },
      { name: "direct port, TLS of Postgres", unit, measure: measure(routes.directTls) },
    ],
    { warmUp: 1, rounds },
  );
  assert.ok(subject && subjectTls && baseline && baselineTls);
  return [
    { title, subject, baseline, goal: goals.front.rates },
    { title: `${title}, over TLS`, subject: subjectTls, baseline: baselineTls, goal: goals.front.rates },
  ];
};

const copies = async (routes: Routes, folder: string, rounds: number): Promise<Finding[]> => {
  const file = join(folder, "rows");
  await writeFile(file, `${"x".repeat(width)}\n`.repeat(rows));
  await runPostgresProgram("psql", routes.direct, ["--command", "create unlogged table copied (line text)"]);
  const copyIn = (route: string) => async (): Promise<number> => {
    await runPostgresProgram("psql", routes.direct, ["--command", "truncate copied"]);
    return timedCopy(route, `\\copy copied from '${file}'`);
  };
  const copyOut = (route: string) => async (): Promise<number> => {
    const copy = join(folder, "copy");
    const rate = await timedCopy(route, `\\copy copied to '${copy}'`);
    assert.equal((await stat(copy)).size, megabytes * 1_000_000);
    return rate;
  };
  const findings: Finding[] = [];
  for (const [title, copy] of [
    ["COPY FROM, 100 MB", copyIn],
    ["COPY TO, 100 MB", copyOut],
  ] as const) {
    findings.push(...(await compare(title, "MB/s", { routes, measure: copy, rounds })));
  }
  const copied = await readFile(join(folder, "copy"), "utf8");
  assert.ok(copied.startsWith(`${"x".repeat(width)}\n`));
  return findings;
};

/** Returns the megabytes per second of a `\copy`, by psql's own clock. */
const timedCopy = async (route: string, command: string): Promise<number> => {
  const output = await runPostgresProgram("psql", route, ["--command", "\\timing on", "--command", command]);
  assert.match(output, new RegExp(`^COPY ${String(rows)}$`, "m"));
  const [, milliseconds] = /^Time: ([\d.]+) ms/m.exec(output) ?? [];
  assert.ok(milliseconds, output);
  return (megabytes * 1_000) / Number(milliseconds);
};
