import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it } from "vitest";
import type { PostgresDatabases } from "../src/postgres-databases.js";
import { Cluster, newTenant } from "../../platform/test/cluster.js";
import { HoldPoint, type SteppedCopies, openSteppedDatabases, settled } from "./stepped-databases.js";
import { staging } from "../../platform/test/installation.js";

const cluster = new Cluster();

const clone = (databases: PostgresDatabases, from: string): Promise<void> => {
  const { id, credential } = newTenant();
  return databases.create(id, { type: "database", databaseId: from }, [credential]);
};

const restoreToNew = (databases: PostgresDatabases, from: string): Promise<void> => {
  const { id, credential } = newTenant();
  return databases.create(id, { type: "backup", databaseId: from, backupId: `bkp_of_${from}` }, [credential]);
};

const rotate = (databases: PostgresDatabases, id: string): Promise<void> =>
  databases.grant(id, { connectionId: `con_of_${id}`, user: `role_of_${id}`, pass: "next" });

const revoke = (databases: PostgresDatabases, id: string): Promise<void> =>
  databases.revoke(id, id.replace("db_", "con_"));

const dropBackup = (databases: PostgresDatabases, id: string): Promise<void> =>
  databases.dropBackup(`bkp_of_${id}`);

/** Begins a backup of a database, and holds it. */
const holdBackup = async (databases: PostgresDatabases, copies: SteppedCopies, id: string) => {
  const point = new HoldPoint();
  copies.before = async (step, name) => {
    if (step === "copy" && name === staging(id)) await point.wait();
  };
  const holding = databases.backup(id, "bkp_held");
  await point.isReached;
  return { holding, release: point.release };
};

describe("while work on a database is in progress", () => {
  it.each([
    ["a copy of it", clone],
    ["a restore of its backup to a new database", restoreToNew],
    ["a new password", rotate],
    ["the end of a connection", revoke],
    ["the removal of a backup", dropBackup],
  ])("%s waits", async (_, work) => {
    const [used, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const { databases, copies } = await openSteppedDatabases(cluster);
    for (const { id } of [used, other]) await databases.backup(id, `bkp_of_${id}`);
    const { release, holding } = await holdBackup(databases, copies, used.id);
    const events: string[] = [];
    const done = work(databases, used.id).then(() => events.push("done"));
    // If it did not wait, it would be done before the same work that begins later on another database.
    await work(databases, other.id);
    await work(databases, other.id);
    events.push("released");
    release();
    await Promise.all([holding, done]);
    expect(events).toEqual(["released", "done"]);
  });

  it("a restore from its backup into another database waits", async () => {
    const [used, other, target] = [
      await cluster.makeTenant(),
      await cluster.makeTenant(),
      await cluster.makeTenant(),
    ];
    const { databases, copies } = await openSteppedDatabases(cluster);
    for (const { id } of [used, other]) await databases.backup(id, `bkp_of_${id}`);
    const { release, holding } = await holdBackup(databases, copies, used.id);
    const events: string[] = [];
    const restored = databases.restore(target.id, `bkp_of_${used.id}`).then(() => events.push("restored"));
    for (let count = 0; count < 2; count += 1) await databases.restore(other.id, `bkp_of_${other.id}`);
    events.push("released");
    release();
    await Promise.all([holding, restored]);
    expect(events).toEqual(["released", "restored"]);
  });
});

describe("the repair after a lost connection", () => {
  /** Begins a repair of a database that does not allow connections, while a copy of it is held. */
  const beginRepair = async () => {
    const events: string[] = [];
    const isAsked = new HoldPoint();
    isAsked.release();
    const { databases, copies } = await openSteppedDatabases(cluster, {
      runExclusively: async (names, work) => {
        events.push(`takes ${names.join()}`);
        await isAsked.wait();
        const result = await work({ signal: new AbortController().signal, confirm: () => Promise.resolve() });
        events.push("repaired");
        return result;
      },
    });
    const [used, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const point = new HoldPoint();
    copies.before = async (step, name) => {
      if (step === "copy" && name === staging(used.id)) await point.wait();
      if (step === "copy" && name === staging(other.id)) throw new DatabaseUnavailableError("away");
    };
    const copied = databases.backup(used.id, "bkp_held").then(() => events.push("copied"));
    await point.isReached;
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${used.id} allow_connections false`);
    await expect(databases.backup(other.id, "bkp_lost")).rejects.toThrow("away");
    await isAsked.isReached;
    return { databases, events, copied, used, release: point.release };
  };

  it("waits for other work on the database, of all processes", async () => {
    const { databases, events, copied, used, release } = await beginRepair();
    // Takes longer than the repair, if that did not wait.
    await cluster.makeTenant();
    release();
    await copied;
    await databases.close();
    expect(events).toEqual([`takes database ${used.id}`, "copied", "repaired"]);
    await cluster.connect(used.id, used.credential);
  });

  it("is complete when the databases are closed", async () => {
    const { databases, events, release } = await beginRepair();
    const closed = databases.close().then(() => events.push("closed"));
    await settled();
    release();
    await closed;
    expect(events.slice(-2)).toEqual(["repaired", "closed"]);
  });
});
