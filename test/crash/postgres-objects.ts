import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "pg";
import type { LoadTarget, MgmtDev } from "./mgmt-dev.js";
import { listAt, textAt } from "./request.js";
import { Api } from "./verify.js";
import { eventually } from "./violation.js";

const foreign = {
  databases: ["accounts", "db_madebyhand", "spare.wheel"],
  roles: ["auditor", "owner_of_accounts"],
};

/** Creates databases and roles by hand, as another program on the same cluster would. */
export const makeForeign = async (admin: Client): Promise<void> => {
  await admin.query("create role auditor login password 'not-a-secret'");
  await admin.query("create role owner_of_accounts nologin");
  for (const name of foreign.databases) await admin.query(`create database "${name}" template template0`);
  await admin.query("alter database accounts owner to owner_of_accounts");
};

/** What Postgres contains. */
export interface Objects {
  databases: Set<string>;
  /** Roles with the owner roles that they belong to, which make them logins of a database. Without the role of the platform, which its first start makes. */
  roles: Map<string, readonly string[]>;
}

export const readObjects = async (dev: LoadTarget): Promise<Objects> => {
  const admin = await dev.connectAsAdmin();
  try {
    const databases = await admin.query<{ name: string }>("select datname as name from pg_database");
    const roles = await admin.query<{ name: string; owners: string[] }>(
      `select rolname as name, array(
          select o.rolname::text from pg_auth_members m join pg_roles o on o.oid = m.roleid where m.member = r.oid and r.rolcanlogin
        ) as owners
        from pg_roles r where oid >= 16384 and rolname not like 'mgmt.%'`,
    );
    return {
      databases: new Set(databases.rows.map(({ name }) => name)),
      roles: new Map(roles.rows.map(({ name, owners }) => [name, owners])),
    };
  } finally {
    await admin.end();
  }
};

/** Returns what the API says that Postgres should contain: databases with their numbers of connections, and backups. */
const expectedObjects = async (dev: LoadTarget) => {
  const connections = new Map<string, number>();
  const backups = new Set<string>();
  for (const api of dev.tokens.map((token) => new Api(dev, token))) {
    for (const id of (await api.list("/v1/databases")).map((item) => textAt(item, "id"))) {
      const { body } = await api.send("GET", `/v1/databases/${id}`);
      connections.set(id, listAt(body, "data", "connections").length);
      const backupsOf = await api.send("GET", `/v1/databases/${id}/backups`);
      for (const backup of listAt(backupsOf.body, "data"))
        if (textAt(backup, "status") === "completed") backups.add(`${id}.${textAt(backup, "id")}`);
    }
  }
  return { connections, backups };
};

/**
 * Checks that Postgres contains what the API says, what was there before, and nothing else.
 *
 * @param before what Postgres had before the first request.
 */
export const verifyObjects = (dev: LoadTarget, before: Objects): Promise<void> =>
  eventually("Postgres does not contain what the API says", async () => {
    const { databases, roles } = await readObjects(dev);
    const { connections, backups } = await expectedObjects(dev);
    const expected = [...foreign.databases, ...connections.keys(), ...backups];
    // Those that are prepared for new databases come and go.
    const allowed = new Set([...before.databases, ...expected]);
    const added = [...roles].filter(([name]) => !before.roles.has(name));
    const problems = [
      ...expected.filter((name) => !databases.has(name)).map((name) => `the database ${name} is missing`),
      ...[...databases]
        .filter((name) => !allowed.has(name) && !/^spare[.][0-9a-f]{16}[.][0-9a-f]{16}$/.test(name))
        .map((name) => `the database ${name} is left over`),
      ...foreign.roles.filter((name) => !roles.has(name)).map((name) => `the role ${name} is missing`),
      ...added
        .filter(([name, owners]) => ![name, ...owners].some((owner) => connections.has(owner)))
        .map(([name]) => `the role ${name} has no database`),
      ...[...connections].flatMap(([id, count]) => {
        const logins = added.filter(([, owners]) => owners.includes(id)).length;
        return logins === count
          ? []
          : [`${id} has ${String(logins)} logins for ${String(count)} connections`];
      }),
    ];
    return problems.length === 0 ? undefined : problems.join("; ");
  });

/** Checks that the folders of databases in the cluster are those of the databases that Postgres has. */
export const verifyFolders = (dev: Pick<MgmtDev, "cluster" | "connectAsAdmin">): Promise<void> =>
  eventually("The folders are not those of the databases", async () => {
    const folders = await readdir(join(dev.cluster, "base"));
    const admin = await dev.connectAsAdmin();
    const { rows } = await admin.query<{ oid: string }>("select oid::text from pg_database");
    await admin.end();
    const oids = new Set(rows.map(({ oid }) => oid));
    const problems = folders.filter((name) => /^\d+$/.test(name) && !oids.has(name));
    return problems.length === 0 ? undefined : `${problems.join(", ")} belong to none`;
  });
