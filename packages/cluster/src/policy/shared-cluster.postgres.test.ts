import { DatabaseUnavailableError } from "@mgmt/engine";
import type { Client } from "pg";
import { describe, expect, it, vi } from "vitest";
import { AdminConnection } from "../connection/admin-connection.js";
import { TenantGuard } from "../guard/tenant-guard.js";
import { Cluster } from "../../../platform/test/cluster.js";
import { interrupt } from "../../test/interrupted-work.js";
import { platformRole, staging } from "../../../platform/test/installation.js";

// The limits of tenants, and repairs, in a cluster that others also use.

const cluster = new Cluster({}, { user: "renter" });

const isAlive = (session: Client): Promise<boolean> =>
  session.query("select").then(
    () => true,
    () => false,
  );

describe("work whose session Postgres ends", () => {
  it("is followed by a repair of closed databases, unfinished copies and invalid databases", async () => {
    const { id, credential } = await cluster.makeTenant();
    await cluster.databases.backup(id, "bkp_invalid");
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query("update pg_database set datconnlimit = -2 where datname = $1", [`${id}.bkp_invalid`]);
    await admin.query(`create database "${staging(id)}" owner "${platformRole}" template template0`);
    await admin.query(`create database "making.other" template template0`);
    await admin.query(`alter database ${id} allow_connections false`);

    const rotate = () => cluster.databases.grant(id, { ...credential, pass: "next" });
    expect(await interrupt(cluster, rotate)).toBeInstanceOf(DatabaseUnavailableError);
    await vi.waitFor(async () => {
      expect(await cluster.namesIn("datname", id)).toEqual([id]);
      await cluster.connect(id, credential);
    });
    expect(await cluster.namesIn("datname", "making.")).toContain("making.other");
  });
});

describe("a check of the limits of tenants", () => {
  it("ends the sessions of the tenant that holds the most locks, however many others hold", async () => {
    const [greedy, modest] = [await cluster.makeTenant(), await cluster.makeTenant()];
    await cluster.closeDatabases();
    const [first, second] = [
      await cluster.connect(greedy.id, greedy.credential),
      await cluster.connect(modest.id, modest.credential),
    ];
    const other = await cluster.connectAsAdmin("postgres");
    const admin = await cluster.connectAsAdmin("postgres");
    await other.query("create role other_user; set role other_user");
    const lock = "select pg_advisory_lock(1, key) from generate_series(1, $1::int) key";
    for (const [session, count] of [
      [first, 60],
      [second, 40],
      [other, 200],
    ] as const)
      await session.query(lock, [count]);

    const platform = new AdminConnection(cluster.policy);
    const guard = new TenantGuard(platform, { maxLocks: 99, connectionsPerDatabase: 3, closedMs: 600_000 });
    try {
      // Its owner can change the limit.
      await admin.query(`alter database ${modest.id} connection limit -1`);
      await vi.waitFor(async () => {
        expect(await guard.applyLimits()).toBe(true);
        expect(await isAlive(first)).toBe(false);
      });
      expect([await isAlive(second), await isAlive(other)]).toEqual([true, true]);
      const { rows } = await admin.query(
        "select datname as name, datconnlimit as limit from pg_database where datname = any ($1) order by array_position($1, datname)",
        [[greedy.id, modest.id]],
      );
      expect(rows).toEqual([
        { name: greedy.id, limit: 0 },
        { name: modest.id, limit: 3 },
      ]);
    } finally {
      await guard.close();
      await platform.close();
      await other.query("reset role; drop role other_user");
    }
  });
});
