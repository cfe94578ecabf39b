import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it, vi } from "vitest";
import { Cluster, newTenant } from "../../platform/test/cluster.js";
import { HoldPoint, openSteppedDatabases } from "./stepped-databases.js";
import { installation, platformRole, staging, replaced } from "../../platform/test/installation.js";

const cluster = new Cluster();
const away = (): DatabaseUnavailableError => new DatabaseUnavailableError("away");

/** Creates a tenant whose database has a table with one row, and a backup with that table. */
const makeTenantWithBackup = async () => {
  const tenant = await cluster.makeTenant();
  const backupId = `bkp_of_${tenant.id}`;
  const client = await cluster.connect(tenant.id, tenant.credential);
  await client.query("create table notes as select 'kept' as text");
  await cluster.databases.backup(tenant.id, backupId);
  const later = await cluster.connect(tenant.id, tenant.credential);
  await later.query("insert into notes values ('later')");
  return { ...tenant, backupId };
};

type Tenant = Pick<Awaited<ReturnType<typeof makeTenantWithBackup>>, "id" | "credential">;

/** Connects as the tenant, and returns what the table contains. */
const notesOf = async ({ id, credential }: Tenant): Promise<string[]> => {
  const { rows } = await (
    await cluster.connect(id, credential)
  ).query<{ text: string }>("select text from notes order by 1");
  return rows.map(({ text }) => text);
};

const run = async (text: string): Promise<void> => {
  await (await cluster.connectAsAdmin("postgres")).query(text);
};

describe("a restore", () => {
  it("succeeds after an earlier one was interrupted", async () => {
    const tenant = await makeTenantWithBackup();
    for (const name of [staging(tenant.id), replaced(tenant.id)]) {
      await run(`create database "${name}" owner "${platformRole}" template template0`);
    }
    await cluster.databases.restore(tenant.id, tenant.backupId);
    expect(await notesOf(tenant)).toEqual(["kept"]);
    expect(await cluster.namesIn("datname", tenant.id)).toEqual([
      tenant.id,
      `${tenant.id}.${tenant.backupId}`,
    ]);
  });

  it("changes nothing when it fails before the swap, and leaves nothing behind", async () => {
    const tenant = await makeTenantWithBackup();
    const { databases, copies } = await openSteppedDatabases(cluster);
    copies.before = (step) => {
      if (step === "transferOwnership") throw new Error("refused");
    };
    await expect(databases.restore(tenant.id, tenant.backupId)).rejects.toThrow("refused");
    expect(await notesOf(tenant)).toEqual(["kept", "later"]);
    expect(await cluster.namesIn("datname", staging(tenant.id))).toEqual([]);
  });

  it("refuses connections during the swap, and allows them again when the swap fails", async () => {
    const tenant = await makeTenantWithBackup();
    const { databases, admin } = await openSteppedDatabases(cluster);
    let duringSwap: unknown;
    admin.beforeUnused = async (database) => {
      if (database !== tenant.id) return;
      duringSwap = await notesOf(tenant).catch((error: unknown) => error);
      throw new Error("refused");
    };
    await expect(databases.restore(tenant.id, tenant.backupId)).rejects.toThrow("refused");
    expect(duringSwap).toMatchObject({ code: "55000" });
    expect(await notesOf(tenant)).toEqual(["kept", "later"]);
  });

  it("is complete after the swap, although Postgres cannot be reached to drop what it replaced", async () => {
    const tenant = await makeTenantWithBackup();
    const { databases, copies } = await openSteppedDatabases(cluster);
    let isReplaced = false;
    let drops = 0;
    copies.before = (step, name) => {
      if (step === "transferOwnership") isReplaced = true;
      if (!isReplaced || step !== "drop" || name !== replaced(tenant.id)) return;
      drops += 1;
      if (drops === 1) throw away();
    };
    await databases.restore(tenant.id, tenant.backupId);
    expect(await notesOf(tenant)).toEqual(["kept"]);
    // The repair drops it.
    await vi.waitFor(async () => expect(await cluster.namesIn("datname", replaced(tenant.id))).toEqual([]));
  });

  it("reports that Postgres refuses to drop what it replaced", async () => {
    const tenant = await makeTenantWithBackup();
    const { databases, copies } = await openSteppedDatabases(cluster);
    let isReplaced = false;
    copies.before = (step, name) => {
      if (step === "transferOwnership") isReplaced = true;
      if (isReplaced && step === "drop" && name.startsWith("replaced.")) throw new Error("refused");
    };
    await expect(databases.restore(tenant.id, tenant.backupId)).rejects.toThrow("refused");
    copies.before = () => undefined;
    await databases.restore(tenant.id, tenant.backupId);
    expect(await notesOf(tenant)).toEqual(["kept"]);
    expect(await cluster.namesIn("datname", replaced(tenant.id))).toEqual([]);
  });
});

describe("a drop", () => {
  it("aborts one of two restores when the other is complete", async () => {
    const tenant = await makeTenantWithBackup();
    const { databases, copies } = await openSteppedDatabases(cluster);
    const point = new HoldPoint();
    let restores = 0;
    copies.after = async (step) => {
      if (step === "copy" && (restores += 1) === 2) await point.wait();
    };
    const restored = [1, 2].map(() => databases.restore(tenant.id, tenant.backupId));
    const results = Promise.allSettled(restored);
    await Promise.race(restored);
    await point.isReached;
    const dropped = databases.drop(tenant.id);
    point.release();
    expect((await results).map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await dropped;
    expect(await cluster.namesIn("datname", tenant.id)).toEqual([]);
  });

  it("succeeds when another process drops the same database first", async () => {
    const tenant = await makeTenantWithBackup();
    const { databases, roleRemover } = await openSteppedDatabases(cluster);
    const dropRole = roleRemover.dropRole.bind(roleRemover);
    vi.spyOn(roleRemover, "dropRole").mockImplementationOnce(async (role, owner) => {
      await cluster.databases.drop(tenant.id);
      await dropRole(role, owner);
    });
    await databases.drop(tenant.id);
    expect(await cluster.namesIn("datname", tenant.id)).toEqual([]);
    expect(await cluster.namesIn("rolname", tenant.id.slice("db_".length))).toEqual([]);
  });

  it("is left to a repetition when what it drops keeps disappearing", async () => {
    const { id } = await cluster.makeTenant();
    const { databases, roleRemover } = await openSteppedDatabases(cluster);
    const dropRole = vi.spyOn(roleRemover, "dropRole");
    dropRole.mockImplementation(() => run("drop role role_that_disappeared"));
    await expect(databases.drop(id)).rejects.toThrow(DatabaseUnavailableError);
    dropRole.mockRestore();
    await databases.drop(id);
    expect(await cluster.namesIn("rolname", id.slice("db_".length))).toEqual([]);
  });
});

describe("a backup", () => {
  it("has the settings of its database, although the connection was lost before they were copied", async () => {
    const { id, credential } = await cluster.makeTenant();
    await (await cluster.connect(id, credential)).query(`alter database ${id} set work_mem = '7MB'`);
    const { databases, copies } = await openSteppedDatabases(cluster);
    let isLost = false;
    copies.before = (step) => {
      if (step !== "copySettings" || isLost) return;
      isLost = true;
      throw away();
    };
    await expect(databases.backup(id, "bkp_settings")).rejects.toThrow("away");
    await databases.backup(id, "bkp_settings");
    await (await cluster.connect(id, credential)).query(`alter database ${id} reset work_mem`);
    await databases.restore(id, "bkp_settings");
    const { rows } = await (await cluster.connect(id, credential)).query("show work_mem");
    expect(rows).toEqual([{ work_mem: "7MB" }]);
  });

  it("leaves nothing behind when it fails", async () => {
    const { id, credential } = await cluster.makeTenant();
    const { databases, copies } = await openSteppedDatabases(cluster);
    copies.after = (step) => {
      if (step === "copy") throw new Error("refused");
    };
    await expect(databases.backup(id, "bkp_refused")).rejects.toThrow("refused");
    expect(await cluster.namesIn("datname", id)).toEqual([id]);
    await cluster.connect(id, credential);
  });

  it("replaces what an interrupted copy and an interrupted removal left", async () => {
    const { id } = await cluster.makeTenant();
    for (const name of [staging(id), `${id}.bkp_invalid`]) {
      await run(`create database "${name}" owner "${platformRole}" template template0`);
    }
    await run(`update pg_database set datconnlimit = -2 where datname = '${id}.bkp_invalid'`);
    await cluster.databases.backup(id, "bkp_invalid");
    await cluster.databases.restore(id, "bkp_invalid");
  });

  it("is not made again when it exists", async () => {
    const tenant = await makeTenantWithBackup();
    await cluster.databases.backup(tenant.id, tenant.backupId);
    await cluster.databases.restore(tenant.id, tenant.backupId);
    expect(await notesOf(tenant)).toEqual(["kept"]);
  });
});

describe("the creation of a copy", () => {
  const copyOf = ({ id }: { id: string }) => ({ type: "database", databaseId: id }) as const;

  it("leaves nothing behind when it is canceled", async () => {
    const source = await makeTenantWithBackup();
    const { id, credential } = newTenant();
    const { databases, copies } = await openSteppedDatabases(cluster);
    const [cancel, point, reason] = [new AbortController(), new HoldPoint(), new Error("canceled")];
    copies.after = async (step) => {
      if (step === "copy") await point.wait();
    };
    const created = databases.create(id, copyOf(source), [credential], cancel.signal);
    const outcome = expect(created).rejects.toBe(reason);
    await point.isReached;
    cancel.abort(reason);
    point.release();
    await outcome;
    expect(await cluster.namesIn("datname", id)).toEqual([]);
    expect(await cluster.namesIn("rolname", id)).toEqual([]);
  });

  it("does not begin when it was canceled before", async () => {
    const source = await makeTenantWithBackup();
    const { id, credential } = newTenant();
    const { databases, copies } = await openSteppedDatabases(cluster);
    const steps: string[] = [];
    copies.before = (step) => void steps.push(step);
    const reason = new Error("canceled");
    const created = databases.create(id, copyOf(source), [credential], AbortSignal.abort(reason));
    await expect(created).rejects.toBe(reason);
    expect(steps).toEqual([]);
  });

  it("uses the owner role that an interrupted creation left, without the logins of that", async () => {
    const source = await makeTenantWithBackup();
    const { id, credential } = newTenant();
    const { databases, copies } = await openSteppedDatabases(cluster);
    copies.after = (step) => {
      if (step === "transferOwnership") throw new Error("refused");
    };
    await expect(databases.create(id, copyOf(source), [credential])).rejects.toThrow("refused");
    expect(await cluster.namesIn("rolname", id)).toEqual([id]);
    await run(
      `create role "left_login" login in role ${id}; comment on role left_login is '${installation.roleComment}'`,
    );

    copies.after = () => undefined;
    await databases.create(id, copyOf(source), [credential]);
    expect(await notesOf({ id, credential })).toEqual(["kept", "later"]);
    expect(await cluster.namesIn("rolname", "left_login")).toEqual([]);
  });

  it("has the content of the backup, not of the database", async () => {
    const source = await makeTenantWithBackup();
    const { id, credential } = newTenant();
    const { databases } = await openSteppedDatabases(cluster);
    const from = { type: "backup", databaseId: source.id, backupId: source.backupId } as const;
    await databases.create(id, from, [credential]);
    expect(await notesOf({ id, credential })).toEqual(["kept"]);
  });

  it("fails when the copy disappears", async () => {
    const source = await makeTenantWithBackup();
    const { id, credential } = newTenant();
    const { databases, copies } = await openSteppedDatabases(cluster);
    copies.after = async (step, name) => {
      if (step === "transferOwnership") await run(`drop database "${name}"`);
    };
    await expect(databases.create(id, copyOf(source), [credential])).rejects.toMatchObject({ code: "3D000" });
  });
});

describe("the creation of an empty database", () => {
  it("replaces what an interrupted removal left", async () => {
    const { id, credential } = await cluster.makeTenant();
    await run(`update pg_database set datconnlimit = -2 where datname = '${id}'`);
    await cluster.databases.create(id, { type: "empty" }, [credential]);
    await cluster.connect(id, credential);
  });

  it("uses the owner role that is left of a database which was dropped", async () => {
    const { id, credential } = await cluster.makeTenant();
    await run(`drop database ${id} with (force)`);
    await cluster.databases.create(id, { type: "empty" }, [{ ...credential, pass: "next" }]);
    await cluster.connect(id, { ...credential, pass: "next" });
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
  });
});
