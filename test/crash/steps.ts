import { setTimeout as sleep } from "node:timers/promises";
import type { LoadTarget } from "./mgmt-dev.js";

/** Statements of the platform on databases and on records, each with the table whose lock stops it. Without a pattern, every change does. */
export const steps: readonly { name: string; table: string; statement?: RegExp }[] = [
  { name: "create a database", table: "pg_catalog.pg_database", statement: /create database/i },
  { name: "close a database", table: "pg_catalog.pg_database", statement: /allow_connections false/i },
  { name: "open a database", table: "pg_catalog.pg_database", statement: /allow_connections true/i },
  { name: "rename a database", table: "pg_catalog.pg_database", statement: /rename to/i },
  { name: "drop a database", table: "pg_catalog.pg_database", statement: /drop database/i },
  { name: "create an owner role", table: "pg_catalog.pg_authid", statement: /create role .* nologin/i },
  { name: "create a login", table: "pg_catalog.pg_authid", statement: /create role .* login/i },
  { name: "change a password", table: "pg_catalog.pg_authid", statement: /alter role .* password/i },
  { name: "disable a login", table: "pg_catalog.pg_authid", statement: /alter role .* nologin/i },
  { name: "drop a role", table: "pg_catalog.pg_auth_members", statement: /drop role/i },
  { name: "store a project", table: "mgmt.projects" },
  { name: "store a database", table: "mgmt.databases" },
  { name: "store a connection", table: "mgmt.connections" },
  { name: "store a backup", table: "mgmt.backups" },
  { name: "store a job", table: "mgmt.jobs" },
];

/** How long the load may take to reach a step, in milliseconds. The fault comes then in any case. */
const patience = 10_000;

/**
 * Stops the platform before a step, by a lock, while the work runs. The statement waits for the lock, so that the work comes between it
 * and the step before. Returns whether the step was reached.
 *
 * @param work gets the process id of the backend that waits; undefined when the step was not reached.
 */
export const whileStoppedAt = async (
  dev: LoadTarget,
  name: string,
  work: (backend: number | undefined) => Promise<unknown>,
): Promise<boolean> => {
  const { table, statement } = steps.find((step) => step.name === name) ?? { table: "mgmt.jobs" };
  const locker = await dev.connectAsAdmin();
  const observer = await dev.connectAsAdmin();
  try {
    const { rows } = await locker.query<{ pid: number }>("select pg_backend_pid() as pid");
    let backend: number | undefined;
    for (const deadline = Date.now() + patience; backend === undefined && Date.now() < deadline;) {
      await locker.query(`begin; lock table ${table} in share row exclusive mode`);
      let waiting: { pid: number; query: string }[] = [];
      for (; waiting.length === 0 && Date.now() < deadline; await sleep(5)) {
        const sessions = await observer.query<{ pid: number; query: string }>(
          `select pid, query from pg_stat_activity
            where application_name like 'mgmt%' and state = 'active' and $1 = any (pg_blocking_pids(pid))`,
          [rows[0]?.pid],
        );
        waiting = sessions.rows;
      }
      backend = waiting.find(({ query }) => statement?.test(query.replaceAll("\n", " ")) ?? true)?.pid;
      // Lets other statements that wait for the lock continue.
      if (backend === undefined) await locker.query("rollback");
    }
    await work(backend);
    return backend !== undefined;
  } finally {
    await Promise.all([locker, observer].map((client) => client.end().catch(() => undefined)));
  }
};
