import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { describe, expect, it } from "vitest";
import { eventually } from "../crash/violation.js";
import { ServePlace, isFull } from "./place.js";

const place = new ServePlace();
const windowSeconds = 30;
/** More than servers take, so that a busy machine does not matter. */
const maxTransactionsPerSecond = 3;

/** Returns the transactions in the database of the records, where servers have all their connections. */
const countTransactions = async (observer: Client): Promise<number> => {
  const { rows } = await observer.query<{ count: number }>(
    "select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = 'service'",
  );
  return rows[0]?.count ?? NaN;
};

describe.runIf(isFull)("servers that nobody calls", () => {
  it.each([1, 2, 4])("idle: take few transactions and connections: %d", async (serverCount) => {
    for (let count = 0; count < serverCount; count += 1) await place.start();
    const observer = await place.service.connect("postgres", "postgres");
    await eventually("The servers have too many connections", async () => {
      const { rowCount } = await observer.query("select from pg_stat_activity where usename = 'service'");
      return rowCount === 5 * serverCount ? undefined : String(rowCount);
    });
    const before = await countTransactions(observer);
    await sleep(windowSeconds * 1_000);
    const transactions = (await countTransactions(observer)) - before;
    await observer.end();
    expect(transactions / windowSeconds / serverCount).toBeLessThan(maxTransactionsPerSecond);
  });
});
