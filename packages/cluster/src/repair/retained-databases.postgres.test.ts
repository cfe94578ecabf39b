import { describe, expect, it } from "vitest";
import type { ApiDatabase } from "./reconcile.js";
import type { OpenDatabases } from "../open-databases.js";
import { Cluster, newTenant } from "../../../platform/test/cluster.js";
import { installation } from "../../../platform/test/installation.js";

const own = new Cluster();
const shared = new Cluster({}, { user: "renter" });

/** Starts again with these records. */
const restart = async (
  cluster: Cluster,
  recorded: readonly ApiDatabase[],
  discardedIds: readonly string[] = [],
): Promise<OpenDatabases> => {
  await cluster.stop();
  return cluster.start(recorded, { findDiscardedIds: () => Promise.resolve(discardedIds) });
};

const record = ({ id, credential }: ReturnType<typeof newTenant>, ...backupIds: string[]): ApiDatabase => ({
  databaseId: id,
  credentials: [credential],
  backupIds,
});

const listRetainedNames = (cluster: Cluster): Promise<string[]> => cluster.namesIn("datname", "kept.");

/** Returns the date that Postgres has, as in names. */
const readToday = async (cluster: Cluster, daysAgo = 0): Promise<string> => {
  const admin = await cluster.connectAsAdmin("postgres");
  const { rows } = await admin.query<{ date: string }>(
    "select to_char(now() at time zone 'UTC' - $1 * interval '1 day', 'YYYYMMDD') as date",
    [daysAgo],
  );
  await admin.end();
  return rows[0]?.date ?? "";
};

const clusters = [
  ["its own", own],
  ["a shared", shared],
] as const;

describe.each(clusters)("a database that is not in the records, in %s cluster", (_case, cluster) => {
  it("is closed and kept under a name with the date, until records contain it again", async () => {
    const [tenant, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const client = await cluster.connect(tenant.id, tenant.credential);
    await client.query("create table kept as select 1 as id");
    await client.end();
    const { problems } = await restart(cluster, [record(other)]);
    const retainedName = installation.toRetainedName(tenant.id, await readToday(cluster));
    expect(await listRetainedNames(cluster)).toEqual([retainedName]);
    expect(problems.join()).toContain(`kept as ${retainedName} for 7 days`);
    await expect(cluster.connect(tenant.id, tenant.credential)).rejects.toThrow();
    const { host, port } = cluster.databases.getEndpoints(tenant.id).direct;
    const { user, pass } = tenant.credential;
    const keptAddress = `postgres://${user}:${pass}@${host}:${String(port)}/${retainedName}`;
    await expect(cluster.connectTo(keptAddress)).rejects.toThrow("not currently accepting connections");
    expect(await cluster.namesIn("rolname", tenant.id)).toEqual([tenant.id]);

    const { missingData } = await restart(cluster, [record(other), record(tenant)]);
    expect(missingData).toEqual({ databaseIds: [], backupIds: [] });
    const again = await cluster.connect(tenant.id, tenant.credential);
    expect((await again.query("select id from kept")).rows).toEqual([{ id: 1 }]);
    expect(await listRetainedNames(cluster)).toEqual([]);
    for (const { id } of [tenant, other]) await cluster.databases.drop(id);
  });

  it("is dropped with its roles after 7 days", async () => {
    const [expired, recent] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const admin = await cluster.connectAsAdmin("postgres");
    const retainedName = installation.toRetainedName(recent.id, await readToday(cluster, 7));
    const expiredName = installation.toRetainedName(expired.id, await readToday(cluster, 8));
    for (const [name, newName] of [
      [recent.id, retainedName],
      [expired.id, expiredName],
    ]) {
      await admin.query(`alter database "${String(name)}" allow_connections false`);
      await admin.query(`alter database "${String(name)}" rename to "${String(newName)}"`);
    }
    const { problems } = await restart(cluster, []);
    expect(problems.filter((problem) => problem.includes("kept"))).toEqual([]);
    expect(await listRetainedNames(cluster)).toEqual([retainedName]);
    expect(await cluster.namesIn("rolname", expired.id)).toEqual([]);
    expect(await cluster.namesIn("rolname", recent.id)).toEqual([recent.id]);
    await restart(cluster, [record(recent)]);
    await cluster.databases.drop(recent.id);
  });

  it("stays although it has expired, if records contain it again but its name is taken", async () => {
    const [tenant, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    await cluster.databases.backup(other.id, "bkp_expired");
    const admin = await cluster.connectAsAdmin("postgres");
    const date = await readToday(cluster, 8);
    const names = [tenant.id, `${other.id}.bkp_expired`];
    const expiredNames = names.map((name) => installation.toRetainedName(name, date));
    for (const [index, name] of names.entries()) {
      await admin.query(`alter database "${name}" allow_connections false`);
      await admin.query(`alter database "${name}" rename to "${String(expiredNames[index])}"`);
      await admin.query(`create database "${name}" template template0`);
    }
    const records = [record(tenant), record(other, "bkp_expired")];
    const { missingData, brokenIds } = await restart(cluster, records);
    expect({ missingData, brokenIds }).toEqual({
      missingData: { databaseIds: [], backupIds: [] },
      brokenIds: [tenant.id],
    });
    expect(await listRetainedNames(cluster)).toEqual(expiredNames.toSorted());
    const adminAgain = await cluster.connectAsAdmin("postgres");
    for (const name of names) await adminAgain.query(`drop database "${name}"`);
    await restart(cluster, records);
    expect(await listRetainedNames(cluster)).toEqual([]);
    for (const { id } of [tenant, other]) await cluster.databases.drop(id);
  });

  it("is dropped at once if the records contain its removal", async () => {
    const [removed, recorded] = [await cluster.makeTenant(), await cluster.makeTenant()];
    await cluster.databases.backup(removed.id, "bkp_of_removed");
    await cluster.databases.backup(recorded.id, "bkp_removed");
    await restart(cluster, [record(recorded)], [removed.id, "bkp_removed"]);
    expect(await cluster.namesIn("datname", "removed")).toEqual([]);
    expect(await cluster.namesIn("datname", removed.id)).toEqual([]);
    expect(await cluster.namesIn("rolname", removed.id)).toEqual([]);
    expect(await listRetainedNames(cluster)).toEqual([]);
    await cluster.databases.drop(recorded.id);
  });

  it("keeps the role whose objects it has if it is a backup, until it is dropped", async () => {
    const tenant = await cluster.makeTenant();
    const client = await cluster.connect(tenant.id, tenant.credential);
    await client.query("create table kept ()");
    await client.end();
    await cluster.databases.backup(tenant.id, "bkp_alone");
    const retainedName = installation.toRetainedName(`${tenant.id}.bkp_alone`, await readToday(cluster));
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`alter database "${tenant.id}.bkp_alone" rename to "${retainedName}"`);
    await restart(cluster, [], [tenant.id]);
    const again = await cluster.connectAsAdmin("postgres");
    const { rows } = await again.query<{ mark: string }>(
      "select shobj_description(oid, 'pg_authid') as mark from pg_roles where rolname = $1",
      [tenant.id],
    );
    expect(rows).toEqual([{ mark: installation.roleComment }]);
    await again.query(`drop database "${retainedName}"`);
    await restart(cluster, []);
    expect(await cluster.namesIn("rolname", tenant.id)).toEqual([]);
  });

  it("stays what it is if it is a backup that is being made", async () => {
    const tenant = await cluster.makeTenant();
    await cluster.databases.backup(tenant.id, "bkp_running");
    const { missingData } = await restart(cluster, [
      { ...record(tenant), runningBackupIds: ["bkp_running", "bkp_not_begun"] },
    ]);
    expect(missingData).toEqual({ databaseIds: [], backupIds: [] });
    expect(await cluster.databases.hasBackup("bkp_running")).toBe(true);
    await cluster.databases.drop(tenant.id);
  });

  it("makes the start fail with the names, and changes nothing, if there are more than a tenth", async () => {
    const tenants = [await cluster.makeTenant(), await cluster.makeTenant(), await cluster.makeTenant()];
    const [recorded, ...others] = tenants;
    if (recorded === undefined) throw new Error("There are no tenants");
    const before = await cluster.namesIn("datname", "db_tenant");
    const refused = restart(cluster, [record(recorded)]);
    await expect(refused).rejects.toMatchObject({
      code: "cluster:databases_unrecorded",
      message: `The records do not contain 2 of the 3 databases and backups that this installation has in Postgres: ${others
        .map(({ id }) => id)
        .toSorted()
        .join(", ")}`,
    });
    await restart(
      cluster,
      tenants.map((tenant) => record(tenant)),
    );
    expect(await cluster.namesIn("datname", "db_tenant")).toEqual(before);
    for (const { id } of tenants) await cluster.databases.drop(id);
  });
});
