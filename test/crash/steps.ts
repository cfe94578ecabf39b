import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import type { MgmtDev } from "./mgmt-dev.js";

/** A statement of the platform, before which a lock of this test stops it. */
interface Step {
  name: string;
  table: string;
  /** Undefined for every statement that changes the table. */
  statement?: RegExp;
}

/**
 * Steps of work on databases and on records. The statement waits for the lock, so the kill comes between it and the step
 * before.
 */
export const steps: readonly Step[] = [
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

/** How long the load may take to reach a step, in milliseconds. The kill comes then in any case. */
const patience = 10_000;

/** A platform that waits before a step. */
export interface Stopped {
  /** Process id of the backend that waits; undefined when the step was not reached. */
  backend: number | undefined;
  /** Lets the platform continue. */
  release(): Promise<void>;
}

/** Locks the table of the step, and waits until the platform waits for it. Lets other statements that wait for it continue. */
export const stopAt = async (dev: MgmtDev, { table, statement }: Step): Promise<Stopped> => {
  const locker = await dev.connectAsAdmin();
  const observer = await dev.connectAsAdmin();
  const release = async (): Promise<void> => {
    await Promise.all([locker, observer].map((client) => client.end().catch(() => undefined)));
  };
  try {
    const { rows } = await locker.query<{ pid: number }>("select pg_backend_pid() as pid");
    for (const deadline = Date.now() + patience; Date.now() < deadline;) {
      await locker.query(`begin; lock table ${table} in share row exclusive mode`);
      const waiting = await waitingBackends(observer, rows[0]?.pid, deadline);
      const found = waiting.find(({ query }) => statement?.test(query.replaceAll("\n", " ")) ?? true);
      if (found) return { backend: found.pid, release };
      await locker.query("rollback");
    }
    return { backend: undefined, release };
  } catch (error) {
    await release();
    throw error;
  }
};

interface Waiting {
  pid: number;
  query: string;
}

/** Waits for sessions of the platform that wait for the lock of `locker`. Returns none after the deadline. */
const waitingBackends = async (
  observer: Client,
  locker: number | undefined,
  deadline: number,
): Promise<Waiting[]> => {
  for (; Date.now() < deadline; await sleep(5)) {
    const { rows } = await observer.query<Waiting>(
      `select pid, query from pg_stat_activity
        where application_name like 'mgmt%' and state = 'active' and $1 = any (pg_blocking_pids(pid))`,
      [locker],
    );
    if (rows.length > 0) return rows;
  }
  return [];
};
