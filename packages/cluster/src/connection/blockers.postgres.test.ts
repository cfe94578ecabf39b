import type { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BlockerTerminator } from "./blockers.js";
import { installation } from "../../../platform/test/installation.js";
import { Cluster, adminPassword } from "../../../platform/test/cluster.js";

const cluster = new Cluster();

const makeBlockers = (): BlockerTerminator => {
  const { host, port } = cluster.databases.getEndpoints("any").direct;
  const blockers = new BlockerTerminator(
    { host, port, user: "postgres", password: adminPassword, database: "postgres" },
    installation,
  );
  onTestFinished(() => blockers.close());
  return blockers;
};

/** A database of a tenant, and a table in it. */
interface Tenant {
  id: string;
  connect(): Promise<Client>;
  connectAsAdmin(): Promise<Client>;
}

const makeTenant = async (): Promise<Tenant> => {
  const { id, credential } = await cluster.makeTenant();
  const connect = () => cluster.connect(id, credential);
  const owner = await connect();
  await owner.query("create table items ()");
  await owner.end();
  return {
    id,
    connect,
    connectAsAdmin: () => cluster.connectAsAdmin(cluster.databases.getEndpoints(id).direct.database),
  };
};

/** Locks the table until the session or its transaction ends. */
const lock = async (session: Client): Promise<void> => {
  await session.query("begin");
  await session.query("lock table items");
};

const isAlive = async (session: Client): Promise<boolean> =>
  session.query("select").then(
    () => true,
    () => false,
  );

const countWaiting = async (admin: Client): Promise<number> => {
  const { rows } = await admin.query<{ count: number }>(
    "select count(*)::int from pg_stat_activity where wait_event_type = 'Lock'",
  );
  return rows[0]?.count ?? 0;
};

describe("sessions that block the platform", () => {
  it("are ended when they belong to a tenant, even while other statements of the platform end", async () => {
    const { connect, connectAsAdmin } = await makeTenant();
    const [holder, waiting] = [await connect(), await connectAsAdmin()];
    await lock(holder);
    const blockers = makeBlockers();
    const locked = blockers.runEndingBlockers(() => lock(waiting));
    await blockers.runEndingBlockers(() => Promise.resolve());
    await locked;
    expect(await isAlive(holder)).toBe(false);
  });

  it("continue when they do not belong to a tenant", async () => {
    const [tenant, other] = [await makeTenant(), await makeTenant()];
    const admin = await cluster.connectAsAdmin("postgres");
    const foreign = await other.connectAsAdmin();
    const holder = await tenant.connect();
    await Promise.all([lock(foreign), lock(holder)]);

    const blockers = makeBlockers();
    const waiting = await other.connectAsAdmin();
    const waitingForForeign = blockers.runEndingBlockers(() => lock(waiting));
    await vi.waitFor(async () => expect(await countWaiting(admin)).toBe(1));
    const locking = await tenant.connectAsAdmin();
    await blockers.runEndingBlockers(() => lock(locking));
    expect(await isAlive(holder)).toBe(false);
    expect(await isAlive(foreign)).toBe(true);
    await foreign.query("commit");
    await waitingForForeign;
  });

  it("continue when they block no statement of the platform", async () => {
    const { connect, connectAsAdmin } = await makeTenant();
    const holder = await connect();
    await lock(holder);
    const blockers = makeBlockers();
    const idle = await connectAsAdmin();
    const admin = await cluster.connectAsAdmin("postgres");
    // Returns when the platform has looked for blockers.
    const looked = () =>
      vi.waitFor(async () => {
        const { rowCount } = await admin.query(
          "select from pg_stat_activity where query like '%pg_blocking_pids%' and pid <> pg_backend_pid()",
        );
        expect(rowCount).toBe(1);
      });
    await blockers.runEndingBlockers(async () => {
      await idle.query("select");
      await looked();
    });
    expect(await isAlive(holder)).toBe(true);
  });

  it("are not looked for when no statement of the platform runs", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const blockers = makeBlockers();
    await Promise.all([
      blockers.runEndingBlockers(() => Promise.resolve()),
      blockers.runEndingBlockers(() => Promise.reject(new Error("refused"))).catch(() => undefined),
    ]);
    expect(vi.getTimerCount()).toBe(0);
    await blockers.runEndingBlockers(() => {
      expect(vi.getTimerCount()).toBe(1);
      return Promise.resolve();
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are not looked for after the end of the platform", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { host, port } = cluster.databases.getEndpoints("any").direct;
    const blockers = new BlockerTerminator(
      { host, port, user: "postgres", password: adminPassword, database: "postgres" },
      installation,
    );
    await blockers.runEndingBlockers(async () => {
      await blockers.close();
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});
