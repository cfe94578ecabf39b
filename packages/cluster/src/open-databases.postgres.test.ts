import type { Client } from "pg";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type OpenDatabases, openDatabases } from "./open-databases.js";
import type { ApiDatabase } from "./repair/reconcile.js";
import { Cluster, newTenant } from "../../platform/test/cluster.js";
import { connectionLimitOf } from "../test/sessions.js";
import { toClientConfig } from "./policy/address.js";
import { PostgresSessions } from "./rows/postgres-sessions.js";
import { installation, platformRole } from "../../platform/test/installation.js";

const cluster = new Cluster();
let observer: Client;

beforeAll(async () => {
  observer = await cluster.connectAsAdmin("postgres");
});

/** Returns the sessions of a process. */
const openSessions = (): PostgresSessions => {
  const config = { ...toClientConfig(cluster.policy.address, "process"), database: "postgres" };
  const processSessions = new PostgresSessions(config, installation);
  onTestFinished(() => processSessions.close());
  return processSessions;
};

/** Opens the databases like another process on the same server. */
const openAgain = async (
  recorded: Parameters<typeof openDatabases>[1] = [],
  serverIds: readonly string[] = [],
): Promise<OpenDatabases> => {
  const again = await openDatabases(cluster.policy, recorded, {
    ...cluster.discardingAll,
    others: { sessions: openSessions(), listServerIds: () => Promise.resolve(serverIds) },
  });
  onTestFinished(() => again.close());
  return again;
};

/** Closes the databases, and waits until Postgres has ended the sessions of the platform. */
const closeFirst = async (): Promise<void> => {
  await cluster.closeDatabases();
  await vi.waitFor(async () => expect(await sessions()).toEqual([]));
};

/** Clients of other databases need not wait. */
const limits = { timeoutMs: 0, signal: new AbortController().signal };

const sessions = async (): Promise<number[]> => {
  const { rows } = await observer.query<{ pid: number }>(
    "select pid from pg_stat_activity where application_name = 'mgmt'",
  );
  return rows.map(({ pid }) => pid);
};

describe("databases that another process has opened", () => {
  beforeEach(() => openSessions().enter(() => Promise.resolve()));

  it("are not repaired, and their logins are found", async () => {
    const { id, credential } = await cluster.makeTenant();
    await observer.query(`alter database ${id} allow_connections false`);
    const again = await openAgain(() => {
      throw new Error("The records must not be read");
    });
    expect(again).toMatchObject({
      missingData: { databaseIds: [], backupIds: [] },
      brokenIds: [],
      problems: [],
    });
    const { rows } = await observer.query("select datallowconn as open from pg_database where datname = $1", [
      id,
    ]);
    expect(rows).toEqual([{ open: false }]);
    expect(await again.engine.findDatabase(credential.user, limits)).toBe(id);
    expect(await again.engine.findDatabase("role_unknown", limits)).toBeUndefined();
  });

  it("are left by a process that starts, except unfinished ones of servers that have ended", async () => {
    const nameOf = (serverId: string): string =>
      `${installation.unfinishedPreparedNamePrefix}${serverId}.left`;
    const [living, ended] = [nameOf("living"), nameOf("ended")];
    for (const name of [ended, living])
      await observer.query(`create database "${name}" owner "${platformRole}" template template0`);
    const again = await openAgain([], ["living"]);
    expect(again.problems).toEqual([]);
    await vi.waitFor(async () => expect(await cluster.namesIn("datname", ".left")).toEqual([living]));
    await observer.query(`drop database "${living}"`);
  });

  it("share the databases that are empty", async () => {
    const preparedDatabases = await cluster.preparedDatabases();
    const again = await openAgain();
    const { id, credential } = newTenant();
    await again.engine.create(id, { type: "empty" }, [credential]);
    await cluster.connect(id, credential);
    const left = await cluster.namesIn("datname", installation.preparedNamePrefix);
    expect(preparedDatabases.filter((name) => !left.includes(name))).toHaveLength(1);
  });
});

describe("databases that no process has opened", () => {
  it("are reconciled with the records, and limited before the first session", async () => {
    const kept = await cluster.makeTenant();
    const lost = await cluster.makeTenant();
    await closeFirst();
    await observer.query(`alter database ${kept.id} connection limit -1`);
    const recorded: ApiDatabase[] = [{ databaseId: kept.id, credentials: [kept.credential], backupIds: [] }];
    const again = await openAgain(() => Promise.resolve(recorded));
    expect(again.missingData).toEqual({ databaseIds: [], backupIds: [] });
    expect(await connectionLimitOf(observer, kept.id)).toBe(100);
    expect(await connectionLimitOf(observer, lost.id)).toBeUndefined();
  });

  it("leave no connection when the records cannot be read", async () => {
    await closeFirst();
    const failing = openAgain(() => Promise.reject(new Error("no records")));
    await expect(failing).rejects.toThrow("no records");
    await vi.waitFor(async () => expect(await sessions()).toEqual([]));
  });
});
