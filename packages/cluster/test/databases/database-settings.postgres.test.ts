import { DatabaseUnavailableError } from "@mgmt/engine";
import type { Client } from "pg";
import { describe, expect, it, vi } from "vitest";
import { DatabaseCopier } from "../../src/databases/database-copier.js";
import { Cluster, newTenant, secondCredential } from "../../../platform/test/cluster.js";
import { observeAdmin } from "../observed-admin.js";
import { makeAdmin } from "../sessions.js";

const log: string[] = [];
const cluster = new Cluster({ onLog: (line) => log.push(line) });

/** Returns what is stored for a database, and for roles in it. */
const settingsOf = async (database: string): Promise<{ role: string | null; settings: string[] }[]> => {
  const admin = await cluster.connectAsAdmin("postgres");
  const { rows } = await admin.query<{ role: string | null; settings: string[] }>(
    `select rolname as role, setconfig as settings
      from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase left join pg_roles r on r.oid = s.setrole
      where datname = $1 order by 1 nulls first`,
    [database],
  );
  await admin.end();
  return rows;
};

/** Copies a database with its settings. */
const clone = async (databaseId: string): Promise<{ id: string }> => {
  const target = newTenant();
  await cluster.databases.create(target.id, { type: "database", databaseId }, [target.credential]);
  return target;
};

/** Stores a setting like a version of Postgres that had it. This version refuses it. */
const storeRemovedSetting = (admin: Client, databaseId: string) =>
  admin.query(
    `update pg_db_role_setting set setconfig = array['removed_setting=a secret'] || setconfig
      where setdatabase = (select oid from pg_database where datname = $1)`,
    [databaseId],
  );

describe("the settings of a database", () => {
  it.each([
    ["an apostrophe", "set application_name = 'it''s'"],
    ["a backslash", String.raw`set application_name = 'C:\temp\n'`],
    ["an equals sign", "set application_name = 'a=b'"],
    ["line breaks and spaces", "set application_name = E' a\\nb '"],
    ["an empty value", "set application_name = ''"],
    ["a list in one value", "set datestyle = 'ISO, DMY'"],
    ["a setting of an extension", "set my.setting = 'Some, \"value\"'"],
    ["a setting in capitals", `set "Your.Setting" = 'x'`],
    ["a time zone", "set time zone interval '-08:30' hour to minute"],
    ["a role", "set role = 'none'"],
    ["a role that does not exist", "set role = 'nobody'"],
    ["an isolation level", "set default_transaction_isolation = 'repeatable read'"],
    ["names of schemas", `set search_path = "$user", public, "With, comma", "a ""quote""", Lower`],
    ["an empty name of a schema", "set search_path = ''"],
    ["files", `set session_preload_libraries = 'A', "b c", '$libdir/d'`],
    ["tablespaces", "set temp_tablespaces = 'missing', ''"],
  ])("are copied: %s", async (_, assignment) => {
    const source = await cluster.makeTenant();
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${source.id} ${assignment}`);
    const target = await clone(source.id);
    expect(await settingsOf(source.id)).toHaveLength(1);
    expect(await settingsOf(target.id)).toEqual(await settingsOf(source.id));
  });

  it.each(["search_path", "temp_tablespaces", "local_preload_libraries"])(
    "are copied: a list without names in %s",
    async (name) => {
      const source = await cluster.makeTenant();
      const client = await cluster.connect(source.id, source.credential);
      await client.query(`select set_config('${name}', '', false)`);
      await client.query(`alter database ${source.id} set ${name} from current`);
      const target = await clone(source.id);
      expect(await settingsOf(target.id)).toEqual([{ role: null, settings: [`${name}=`] }]);
    },
  );

  it("are copied as Postgres reads them when names in a list have no quotes", async () => {
    const source = await cluster.makeTenant();
    const client = await cluster.connect(source.id, source.credential);
    await client.query("select set_config('search_path', 'App,\"App\"', false)");
    await client.query(`alter database ${source.id} set search_path from current`);
    const target = await clone(source.id);
    expect(await settingsOf(target.id)).toEqual([{ role: null, settings: ['search_path=app, "App"'] }]);
  });

  it("are copied except those that Postgres refuses, which are logged without their values", async () => {
    const source = await cluster.makeTenant();
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${source.id} set work_mem = '7MB'`);
    await admin.query(`alter database ${source.id} set timezone = 'UTC'`);
    await storeRemovedSetting(admin, source.id);
    const target = await clone(source.id);
    expect(await settingsOf(target.id)).toEqual([{ role: null, settings: ["work_mem=7MB", "TimeZone=UTC"] }]);
    expect(log).toHaveLength(1);
    expect(log[0]).toContain(target.id);
    expect(log[0]).not.toContain("a secret");
  });

  it("are removed when only the copy has them", async () => {
    const [source, target] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${source.id} set work_mem = '7MB'`);
    await admin.query(`alter database ${target.id} set lock_timeout = '5s'`);
    await admin.query(`alter role ${target.credential.user} in database ${target.id} set work_mem = '9MB'`);
    const copier = new DatabaseCopier(makeAdmin(cluster));
    await copier.copySettings(source.id, target.id);
    await copier.copySettings(source.id, target.id, target.id);
    expect(await settingsOf(target.id)).toEqual([{ role: null, settings: ["work_mem=7MB"] }]);
  });

  it.each([
    ["together", 1],
    ["one by one, because Postgres refuses one", 2],
  ])("are not left out when Postgres ends the session that copies them %s", async (_, failingAttempt) => {
    const [source, target] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const observer = await cluster.connectAsAdmin("postgres");
    await observer.query(`alter database ${source.id} set work_mem = '7MB'`);
    if (failingAttempt > 1) await storeRemovedSetting(observer, source.id);
    let attempts = 0;
    const admin = observeAdmin(cluster, (statement) => {
      if (!statement.includes("work_mem")) return undefined;
      attempts += 1;
      return attempts === failingAttempt ? "select pg_terminate_backend(pg_backend_pid())" : undefined;
    });
    const copied = new DatabaseCopier(admin).copySettings(source.id, target.id);
    await expect(copied).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(attempts).toBe(failingAttempt);
  });

  it("are those of the backup after a restore, except those of its own roles", async () => {
    const [{ id, credential }, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${id} set work_mem = '7MB'`);
    await admin.query(`alter role ${credential.user} in database ${id} set work_mem = '8MB'`);
    await cluster.databases.backup(id, "bkp_settings");
    await admin.query(`alter database ${id} reset all`);
    await admin.query(`alter database ${id} set lock_timeout = '5s'`);
    await admin.query(`alter role ${credential.user} in database ${id} reset all`);
    await admin.query(`alter role ${second.user} in database ${id} set work_mem = '9MB'`);
    const session = await cluster.connect(other.id, other.credential);
    await session.query(`alter role current_user in database ${id} set work_mem = '6MB'`);
    await cluster.databases.restore(id, "bkp_settings");
    expect(await settingsOf(id)).toEqual([
      { role: null, settings: ["work_mem=7MB"] },
      { role: second.user, settings: ["work_mem=9MB"] },
    ]);
  });
});

describe("the password of a login", () => {
  it("is the recorded one again after the tenant has changed it, and sessions with the other one have ended", async () => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    await session.query(`set role none; alter role ${credential.user} password 'own'`);
    const other = await cluster.connect(id, { ...credential, pass: "own" });
    await cluster.databases.grant(id, credential);
    await expect(other.query("select")).rejects.toThrow();
    await expect(cluster.connect(id, { ...credential, pass: "own" })).rejects.toMatchObject({
      code: "28P01",
    });
    await cluster.connect(id, credential);
  });

  it.each([
    ["has as many sessions as it may have", "connection limit 1"],
    ["is closed", "allow_connections false"],
  ])("stays the same, with its sessions, when it is right although the database %s", async (_, option) => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database ${id} ${option}`);
    await cluster.databases.grant(id, credential);
    await session.query("select");
    await admin.query(`alter database ${id} allow_connections true connection limit 100`);
  });

  it("changes although the tenant changes it at the same time", async () => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    await session.query(`begin; set local role none; alter role ${credential.user} password 'own'`);
    let isDone = false;
    const granted = cluster.databases
      .grant(id, { ...credential, pass: "fresh" })
      .finally(() => (isDone = true));
    const admin = await cluster.connectAsAdmin("postgres");
    const isWaiting = async () =>
      (await admin.query("select from pg_locks where not granted")).rows.length > 0;
    await vi.waitFor(async () => expect(isDone || (await isWaiting())).toBe(true));
    // The platform may have ended the session already, because it waited for it.
    await session.query("commit").catch(() => undefined);
    await granted;
    await cluster.connect(id, { ...credential, pass: "fresh" });
  });
});
