import assert from "node:assert/strict";
import pg from "pg";
import { send } from "../programs/projects.js";
import { ratio } from "../runner/goals.js";
import { type Contender, type Measurement, row } from "../runner/measurement.js";
import { startDev } from "../runner/mgmt-dev.js";
import { hasPgBouncer, startPgBouncer } from "../runner/pgbouncer.js";
import { query, startPostgres } from "../runner/postgres.js";
import { processorTimes } from "./platform.js";

const clients = 8;
const queries = 40_000;
const accounts = 10_000;

/** What `pgbench --select-only` asks for. */
const select = {
  name: "select",
  text: "select abalance from pgbench_accounts where aid = $1",
};

/** Returns the microseconds of processor time that a process of a database server uses for a query over 8 connections. */
const costOf = async (url: string, pid: number): Promise<number> => {
  await query(
    url,
    "create table pgbench_accounts (aid int primary key, abalance int not null)",
    `insert into pgbench_accounts select each, 0 from generate_series(1, ${String(accounts)}) each`,
  );
  const connections = Array.from({ length: clients }, () => new pg.Client({ connectionString: url }));
  await Promise.all(connections.map((client) => client.connect()));
  const run = async (total: number): Promise<void> => {
    let count = 0;
    await Promise.all(
      connections.map(async (client) => {
        while ((count += 1) <= total) {
          const { rows } = await client.query({ ...select, values: [1 + (count % accounts)] });
          assert.equal(rows.length, 1);
        }
      }),
    );
  };
  try {
    await run(queries / 4);
    const [before] = processorTimes(pid);
    await run(queries);
    return ((processorTimes(pid)[0] - before) / queries) * 1e6;
  } finally {
    await Promise.all(connections.map((client) => client.end()));
  }
};

const throughDev: Contender = {
  name: "mgmt dev",
  measure: async ({ mgmt }) => {
    const { baseUrl, token, pid, stop } = await startDev(mgmt, ["--ephemeral"]);
    try {
      const created = await send(`${baseUrl}/v1/projects`, 201, {
        method: "POST",
        token,
        body: { name: "bench" },
      });
      const { data }: { data: { database: { connectionString: string } } } = JSON.parse(created);
      const url = new URL(data.database.connectionString);
      // As of PgBouncer, the cost without TLS is measured.
      url.searchParams.set("sslmode", "disable");
      return [await costOf(url.href, pid)];
    } finally {
      await stop();
    }
  },
};

const throughPgBouncer: Contender = {
  name: "PgBouncer",
  measure: async () => {
    const postgres = await startPostgres();
    try {
      const pooler = await startPgBouncer(postgres);
      return await costOf(pooler.buildUrl("postgres"), pooler.pid)
        .then((cost) => [cost])
        .finally(() => pooler.stop());
    } finally {
      await postgres.stop();
    }
  },
};

/**
 * What stands between a client and Postgres, in processor time of that process alone: a query without it costs the client and Postgres
 * the same. Linux only. A machine without PgBouncer has nothing to compare.
 */
export const proxy: readonly Measurement[] = [
  {
    rows: [
      row(
        "a prepared select of one row through the proxy of mgmt dev, 8 clients, processor time of the proxy",
        "µs",
        ...(hasPgBouncer ? [ratio(1)] : []),
      ),
    ],
    rounds: 7,
    comparesCommits: true,
    subject: throughDev,
    ...(hasPgBouncer && { baseline: throughPgBouncer }),
  },
];
