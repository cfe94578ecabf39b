import type { Client } from "pg";
import { expect, onTestFinished, vi } from "vitest";
import { AdminConnection } from "../src/connection/admin-connection.js";
import type { Cluster } from "../../platform/test/cluster.js";

/** Opens connections of the platform that are closed after the test. */
export const makeAdmin = (cluster: Cluster, policy = cluster.policy): AdminConnection => {
  const admin = new AdminConnection(policy);
  onTestFinished(() => admin.close());
  return admin;
};

/** A statement that takes an hour. Postgres looks for signals only afterwards. */
export const uninterruptible = "select array_fill(1, array[1500000]) && array_fill(2, array[1500000])";

/** Returns the process ids of the sessions that run or ran a statement with this text. */
export const sessionsOf = async (observer: Client, text: string, state = "active"): Promise<number[]> => {
  const { rows } = await observer.query<{ pid: number }>(
    "select pid from pg_stat_activity where position($1 in query) > 0 and state = $2 and pid <> pg_backend_pid()",
    [text, state],
  );
  return rows.map(({ pid }) => pid);
};

/** Waits until this number of sessions run a statement with this text, and returns their process ids. */
export const running = (observer: Client, text: string, count = 1): Promise<number[]> =>
  vi.waitFor(async () => {
    const pids = await sessionsOf(observer, text);
    expect(pids).toHaveLength(count);
    return pids;
  });

/** Waits until these sessions have ended. */
export const gone = (observer: Client, pids: readonly number[]): Promise<void> =>
  vi.waitFor(async () => {
    const { rowCount } = await observer.query("select from pg_stat_activity where pid = any ($1)", [pids]);
    expect(rowCount).toBe(0);
  });

/** Returns how many connections Postgres accepts for a database; undefined when it does not exist. */
export const connectionLimitOf = async (observer: Client, database: string): Promise<number | undefined> => {
  const { rows } = await observer.query<{ limit: number }>(
    "select datconnlimit as limit from pg_database where datname = $1",
    [database],
  );
  return rows[0]?.limit;
};
