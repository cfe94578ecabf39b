import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it, vi } from "vitest";
import { Admin } from "../src/databases/admin.js";
import { Copies } from "../src/databases/copies.js";
import { Recovery } from "../src/databases/recovery.js";
import { Cluster, adminPassword, findPrograms, newTenant } from "./cluster.js";

const cluster = new Cluster();

/** Ends the platform's session that waits for a lock, as the end of its backend would. */
const endWaitingSession = async (): Promise<void> => {
  const admin = await cluster.connectAsAdmin("postgres");
  await vi.waitFor(
    async () => {
      const { rowCount } = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'mgmt' and wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(1);
    },
    { timeout: 60_000 },
  );
  await admin.end();
};

/** Does work while every change of a role waits, and ends its session. */
const interrupt = async (work: () => Promise<unknown>): Promise<unknown> => {
  const admin = await cluster.connectAsAdmin("postgres");
  await admin.query("begin; lock table pg_authid in share row exclusive mode");
  const outcome = work().catch((error: unknown) => error);
  await endWaitingSession();
  await admin.query("rollback");
  await admin.end();
  return outcome;
};

describe("work whose session Postgres ends", () => {
  it("reports that Postgres cannot be reached, and succeeds when it is repeated", async () => {
    const { id, credential } = newTenant();
    const create = (): Promise<void> => cluster.databases.create(id, { type: "empty" }, [credential]);
    expect(await interrupt(create)).toBeInstanceOf(DatabaseUnavailableError);
    await create();
    await cluster.connect(id, credential);

    const next = { ...credential, pass: "next" };
    const rotate = (): Promise<void> => cluster.databases.grant(id, next);
    expect(await interrupt(rotate)).toBeInstanceOf(DatabaseUnavailableError);
    await rotate();
    await cluster.connect(id, next);

    const revoke = (): Promise<void> => cluster.databases.revoke(id, credential.connectionId);
    expect(await interrupt(revoke)).toBeInstanceOf(DatabaseUnavailableError);
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter role ${credential.user} nologin`);
    await rotate();
    await cluster.connect(id, next);
    await revoke();
    await expect(cluster.connect(id, next)).rejects.toMatchObject({ code: "28P01" });
  });

  it("repairs what it left: closed databases, unfinished copies and invalid databases", async () => {
    const { id, credential } = newTenant();
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${id} allow_connections false`);
    for (const name of [`making.${id}`, `replaced.${id}`, `${id}.bkp_invalid`]) {
      await admin.query(`create database "${name}" owner "mgmt.platform" template template0`);
    }
    await admin.query("update pg_database set datconnlimit = -2 where datname = $1", [`${id}.bkp_invalid`]);
    await interrupt(() => cluster.databases.grant(id, { ...credential, pass: "next" }));

    await vi.waitFor(async () => {
      expect(await cluster.namesIn("datname", id)).toEqual([id]);
      await cluster.connect(id, credential);
    }, 60_000);
  });

  it("copies a database that an interrupted copy closed, and opens it again", async () => {
    const { id, credential } = newTenant();
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${id} allow_connections false`);
    await cluster.databases.backup(id, "bkp_closed");
    await cluster.connect(id, credential);
  });
});

describe("the repair of what interrupted work left", () => {
  /** Repairs the cluster of this file, with `inTurn` in place of the locks of its databases. */
  const startRepairing = async (inTurn: ConstructorParameters<typeof Recovery>[2]) => {
    const { major } = (await findPrograms()).binaries;
    const admin = new Admin({ port: cluster.server.port, password: adminPassword }, major);
    const recovery = new Recovery(admin, new Copies(admin, major), inTurn);
    const close = async (): Promise<void> => {
      await recovery.close();
      await admin.close();
    };
    return { recovery, close };
  };

  const leave = async (name: string): Promise<void> => {
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`create database "${name}" owner "mgmt.platform" template template0`);
  };

  const isGone = (id: string): Promise<void> =>
    vi.waitFor(async () => expect(await cluster.namesIn("datname", id)).toEqual([]), {
      timeout: 60_000,
      interval: 20,
    });

  it("includes what work left that was interrupted during the repair", async () => {
    const [first, second] = [newTenant().id, newTenant().id];
    await leave(`replaced.${first}`);
    let [reached, proceed] = [(): void => undefined, (): void => undefined];
    const isReached = new Promise<void>((resolve) => (reached = resolve));
    const mayProceed = new Promise<void>((resolve) => (proceed = resolve));
    const { recovery, close } = await startRepairing(async (_, work) => {
      reached();
      await mayProceed;
      await work();
    });
    recovery.begin();
    await isReached;
    await leave(`replaced.${second}`);
    recovery.begin();
    proceed();
    await isGone(first);
    await isGone(second);
    await close();
  });

  it("continues with the others when Postgres refuses one", async () => {
    const [refused, other] = [newTenant().id, newTenant().id];
    await leave(`replaced.${refused}`);
    await leave(`replaced.${other}`);
    const { recovery, close } = await startRepairing((name, work) =>
      name === refused ? Promise.reject(new Error("refused")) : work(),
    );
    recovery.begin();
    await isGone(other);
    expect(await cluster.namesIn("datname", refused)).toEqual([`replaced.${refused}`]);
    await close();
  });
});
