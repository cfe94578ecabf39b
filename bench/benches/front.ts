import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Bench, Finding } from "../runner/bench.js";
import { runPostgresProgram } from "../runner/postgres-programs.js";
import { mgmtProgram } from "../runner/paths.js";
import { measureAlternately } from "../runner/rounds.js";
import { startServerProcess } from "../runner/server-process.js";
import { createProject, selectOnce } from "../runner/tenant.js";

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
      await selectOnce(target, database);
      const routes = routesOf(database.connectionString, Number(server.ready["postgresPort"]));
      await checkRoutes(routes);
      return [await selects(routes, rounds), ...(await copies(routes, folder, rounds))];
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Connection strings of one login. */
interface Routes {
  front: string;
  tls: string;
  direct: string;
}

const routesOf = (connectionString: string, postgresPort: number): Routes => {
  const route = (sslmode: string, port?: number): string => {
    const url = new URL(connectionString);
    url.searchParams.set("sslmode", sslmode);
    if (port !== undefined) url.port = String(port);
    return url.href;
  };
  return { front: route("disable"), tls: route("require"), direct: route("disable", postgresPort) };
};

/** Checks that both ports lead to the same database, and that the password is needed on both. */
const checkRoutes = async ({ front, direct }: Routes): Promise<void> => {
  const databases = await Promise.all([front, direct].map(databaseAt));
  assert.equal(databases[0], databases[1]);
  for (const route of [front, direct]) {
    const wrong = new URL(route);
    wrong.password = "wrong";
    await assert.rejects(databaseAt(wrong.href), { code: "28P01" });
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

const selects = async (routes: Routes, rounds: number): Promise<Finding> => {
  await runPostgresProgram("pgbench", routes.direct, ["--initialize", "--quiet", "--scale", String(scale)]);
  const measure = (route: string) => async (): Promise<number> => {
    const load = ["--client", String(clients), "--jobs", "2", "--time", String(seconds)];
    const output = await runPostgresProgram("pgbench", route, ["--select-only", "--no-vacuum", ...load]);
    const [, rate] = /^tps = ([\d.]+)/m.exec(output) ?? [];
    assert.ok(rate, output);
    assert.match(output, /^number of failed transactions: 0 /m);
    return Number(rate);
  };
  const [subject, tls, baseline] = await measureAlternately(
    [
      { name: "through the front", unit: "tx/s", measure: measure(routes.front) },
      { name: "the same with TLS", unit: "tx/s", measure: measure(routes.tls) },
      { name: "direct port", unit: "tx/s", measure: measure(routes.direct) },
    ],
    { warmUp: 1, rounds },
  );
  assert.ok(subject && tls && baseline);
  return {
    title: `pgbench --select-only with ${String(clients)} clients, ${String(seconds)} s a round`,
    subject,
    baseline,
    others: [tls],
    goal,
  };
};

const goal = { of: "ratio", relation: "≥", limit: 0.8 } as const;

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
    const [subject, tls, baseline] = await measureAlternately(
      [
        { name: "through the front", unit: "MB/s", measure: copy(routes.front) },
        { name: "the same with TLS", unit: "MB/s", measure: copy(routes.tls) },
        { name: "direct port", unit: "MB/s", measure: copy(routes.direct) },
      ],
      { warmUp: 1, rounds },
    );
    assert.ok(subject && tls && baseline);
    findings.push({ title, subject, baseline, others: [tls], goal });
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
