import type { Client } from "pg";
import type { MgmtDev } from "./mgmt-dev.js";
import { listAt, textAt } from "./outcome.js";
import { Violation, eventually } from "./violation.js";
import { listAll } from "./verify.js";

/** Databases and roles that the platform did not make. */
export const foreign = {
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

interface Objects {
  databases: string[];
  roles: { name: string; login: boolean; owners: string[] }[];
}

const observe = async (dev: MgmtDev): Promise<Objects> => {
  const admin = await dev.connectAsAdmin();
  try {
    const databases = await admin.query<{ name: string }>("select datname as name from pg_database");
    const roles = await admin.query<Objects["roles"][number]>(
      `select rolname as name, rolcanlogin as login, array(
          select o.rolname::text from pg_auth_members m join pg_roles o on o.oid = m.roleid where m.member = r.oid
        ) as owners
        from pg_roles r where oid >= 16384`,
    );
    return { databases: databases.rows.map(({ name }) => name), roles: roles.rows };
  } finally {
    await admin.end();
  }
};

/** The names that a data directory has before the first request. */
export interface Baseline {
  databases: ReadonlySet<string>;
  roles: ReadonlySet<string>;
}

export const observeBaseline = async (dev: MgmtDev): Promise<Baseline> => {
  const { databases, roles } = await observe(dev);
  return { databases: new Set(databases), roles: new Set(roles.map(({ name }) => name)) };
};

interface Expected {
  /** Names of databases and their owner roles, with their number of connections. */
  databases: Map<string, number>;
  backups: Set<string>;
}

/** Returns what the API says that Postgres should contain. */
const expected = async (dev: MgmtDev): Promise<Expected> => {
  const databases = new Map<string, number>();
  const backups = new Set<string>();
  for (const token of dev.tokens) {
    for (const item of await listAll(dev, token, "/v1/databases")) {
      const id = textAt(item, "id");
      const { body } = await dev.call(token, "GET", `/v1/databases/${id}`);
      const connections = listAt(body, "data", "connections");
      databases.set(id, connections.length);
      const answer = await dev.call(token, "GET", `/v1/databases/${id}/backups`);
      for (const backup of listAt(answer.body, "data")) {
        if (textAt(backup, "status") === "completed") backups.add(`${id}.${textAt(backup, "id")}`);
      }
    }
  }
  return { databases, backups };
};

/**
 * Checks that Postgres contains what the API says, what was made by hand, and nothing else.
 *
 * @throws Violation.
 */
export const verifyObjects = (dev: MgmtDev, baseline: Baseline): Promise<void> =>
  eventually("Postgres does not contain what the API says", async () => {
    const objects = await observe(dev);
    const wanted = await expected(dev);
    const present = new Set(objects.databases);
    const roleNames = new Set(objects.roles.map(({ name }) => name));
    for (const name of foreign.databases) {
      if (!present.has(name)) throw new Violation(`The foreign database ${name} was dropped`);
    }
    for (const name of foreign.roles) {
      if (!roleNames.has(name)) throw new Violation(`The foreign role ${name} was dropped`);
    }
    const wrong = [
      ...[...wanted.databases.keys(), ...wanted.backups]
        .filter((name) => !present.has(name))
        .map((name) => `the database ${name} is missing`),
      ...objects.databases
        .filter(
          (name) =>
            !wanted.databases.has(name) &&
            !wanted.backups.has(name) &&
            !baseline.databases.has(name) &&
            !/^spare\.[0-9a-f]{16}$/.test(name),
        )
        .map((name) => `the database ${name} is left over`),
      ...wrongRoles(objects, wanted, baseline),
    ];
    return wrong.length === 0 ? undefined : wrong.join("; ");
  });

const wrongRoles = ({ roles }: Objects, wanted: Expected, baseline: Baseline): string[] => {
  const ours = roles.filter(({ name }) => !baseline.roles.has(name));
  const logins = new Map<string, number>();
  for (const { owners } of ours.filter(({ login }) => login)) {
    for (const owner of owners) logins.set(owner, (logins.get(owner) ?? 0) + 1);
  }
  return [
    ...ours
      .filter(({ name, login, owners }) =>
        login ? !owners.some((owner) => wanted.databases.has(owner)) : !wanted.databases.has(name),
      )
      .map(({ name }) => `the role ${name} has no database`),
    ...[...wanted.databases]
      .filter(([name, connections]) => (logins.get(name) ?? 0) !== connections)
      .map(
        ([name, connections]) =>
          `${name} has ${String(logins.get(name) ?? 0)} logins for ${String(connections)} connections`,
      ),
  ];
};
