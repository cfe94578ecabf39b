import type { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AdminConnection } from "../connection/admin-connection.js";
import { TenantGuard } from "./tenant-guard.js";
import { Cluster } from "../../../platform/test/cluster.js";
import { connectionLimitOf } from "../../test/sessions.js";

const cluster = new Cluster({ sharedConnectionThreshold: 12, maxLocks: 1_000 });

type Tenant = Awaited<ReturnType<Cluster["makeTenant"]>>;

/** Opens sessions and returns those that Postgres accepts. */
const openSessions = async ({ id, credential }: Tenant, count: number): Promise<Client[]> => {
  const results = await Promise.allSettled(
    Array.from({ length: count }, () => cluster.connect(id, credential)),
  );
  const sessions = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  for (const session of sessions) session.on("error", () => undefined);
  return sessions;
};

const countLiving = async (sessions: readonly Client[]): Promise<number> => {
  const results = await Promise.allSettled(sessions.map((session) => session.query("select")));
  return results.filter(({ status }) => status === "fulfilled").length;
};

/** Returns how many of `count` sessions Postgres accepts, and ends them. */
const countAccepted = async (tenant: Tenant, count: number): Promise<number> => {
  const sessions = await openSessions(tenant, count);
  await Promise.all(sessions.map((session) => session.end().catch(() => undefined)));
  return sessions.length;
};

describe("the guard of what databases share", () => {
  it("makes the databases with the most connections give some up, until there is room again", async () => {
    const [large, larger, small] = [
      await cluster.makeTenant(),
      await cluster.makeTenant(),
      await cluster.makeTenant(),
    ];
    const few = await openSessions(small, 2);
    const many = [...(await openSessions(large, 20)), ...(await openSessions(larger, 20))];
    await vi.waitFor(async () => expect(await countLiving(many)).toBeLessThanOrEqual(10));
    await vi.waitFor(async () => expect(await countAccepted(large, 6)).toBe(0));
    expect(await countLiving(few)).toBe(2);
    expect(await countAccepted(small, 1)).toBe(1);

    await Promise.all(many.map((session) => session.end()));
    await vi.waitFor(async () => expect(await countAccepted(large, 6)).toBe(6));
  });

  it("closes a database that took too many locks, although its sessions have ended", async () => {
    const tenants = await Promise.all(Array.from({ length: 5 }, () => cluster.makeTenant()));
    const admin = await cluster.connectAsAdmin("postgres");
    for (const tenant of tenants) {
      const [session] = await openSessions(tenant, 1);
      // The guard can end the session before it has an answer.
      await session
        ?.query("select pg_advisory_lock(key) from generate_series(1, 2000) key")
        .catch(() => undefined);
      await vi.waitFor(async () => expect(await connectionLimitOf(admin, tenant.id)).toBe(0));
    }
  });

  it("leaves the limits to one process of several, and takes over when it ends", async () => {
    const tenant = await cluster.makeTenant();
    const { database } = cluster.databases.getEndpoints(tenant.id).direct;
    const admin = await cluster.connectAsAdmin("postgres");
    const second = new AdminConnection(cluster.policy);
    const secondGuard = new TenantGuard(second, { connectionsPerDatabase: 7 });
    onTestFinished(async () => {
      await secondGuard.close();
      await second.close();
    });
    await admin.query(`alter database "${database}" connection limit -1`);
    expect(await secondGuard.applyLimits()).toBe(false);
    await vi.waitFor(async () => expect(await connectionLimitOf(admin, tenant.id)).toBe(100));

    await vi.waitFor(async () => {
      await admin.query(
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()",
      );
      await secondGuard.applyLimits();
      expect(await connectionLimitOf(admin, tenant.id)).toBe(7);
    });
  });
});
