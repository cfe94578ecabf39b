import { type DatabaseCredential, DatabaseUnavailableError } from "@mgmt/engine";
import type { Client } from "pg";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { AdminConnection } from "../connection/admin-connection.js";
import { RoleRemover } from "../databases/role-remover.js";
import { Logins } from "./logins.js";
import { Cluster, secondCredential } from "../../../platform/test/cluster.js";
import { observeAdmin } from "../../test/observed-admin.js";
import { makeAdmin } from "../../test/sessions.js";
import { installation, platformRole } from "../../../platform/test/installation.js";

const cluster = new Cluster();
let observer: Client;

beforeAll(async () => {
  observer = await cluster.connectAsAdmin("postgres");
});

/** The logins as another process manages them, which has not seen them yet. */
const otherProcess = (admin: AdminConnection = makeAdmin(cluster)): Logins =>
  new Logins(admin, new RoleRemover(admin));

const roleOf = async (name: string) => {
  const { rows } = await observer.query<{ login: boolean; limit: number; mark: string; settings: string[] }>(
    `select rolcanlogin as login, rolconnlimit as limit, shobj_description(oid, 'pg_authid') as mark,
      rolconfig as settings from pg_roles where rolname = $1`,
    [name],
  );
  return rows[0];
};

/** Makes a tenant with two logins. */
const makeTwoLogins = async (): Promise<{
  id: string;
  first: DatabaseCredential;
  second: DatabaseCredential;
}> => {
  const { id, credential: first } = await cluster.makeTenant();
  const second = secondCredential(first);
  await cluster.databases.grant(id, second);
  return { id, first, second };
};

describe("the database of a login", () => {
  it("is found when another process created the login, and known from then on until it is dropped", async () => {
    const { id, first, second } = await makeTwoLogins();
    const logins = otherProcess();
    expect(await logins.findDatabase(first.user)).toBe(id);
    expect(logins.findDatabase(first.user)).toBe(id);
    expect(await logins.findDatabase(second.user)).toBe(id);
    await logins.revoke(id, first.connectionId);
    expect(await logins.findDatabase(first.user)).toBeUndefined();
    expect(logins.findDatabase(second.user)).toBe(id);
  });

  it("is undefined for roles that are not logins of a database", async () => {
    const { id, first, second } = await makeTwoLogins();
    await observer.query(`
      alter role ${second.user} nologin;
      create role foreign_login login in role ${id};
      create role no_database;
      create role without_database login in role no_database;
      comment on role without_database is '${installation.buildLoginComment("con_none")}';
      create role owner_with_login login;
      create role member login in role owner_with_login;
      comment on role member is '${installation.buildLoginComment("con_none")}'`);
    await observer.query("create database owner_with_login owner owner_with_login template template0");
    onTestFinished(async () => {
      await observer.query("drop database owner_with_login");
      await observer.query(
        "drop role foreign_login, without_database, no_database, member, owner_with_login",
      );
    });
    const logins = otherProcess();
    for (const user of [id, second.user, "nobody", "postgres", platformRole])
      expect(await logins.findDatabase(user)).toBeUndefined();
    for (const user of ["foreign_login", "without_database", "owner_with_login", "member"])
      expect(await logins.findDatabase(user)).toBeUndefined();
    expect(await logins.findDatabase(first.user)).toBe(id);
  });

  it("is searched for one login after the other, so that others can use the connections", async () => {
    const searching = new Set<string>();
    let most = 0;
    const admin = makeAdmin(cluster);
    const query = admin.query.bind(admin);
    admin.query = async (text, values = []) => {
      const user = String(values[0]);
      searching.add(user);
      most = Math.max(most, searching.size);
      try {
        return await query(text, values);
      } finally {
        searching.delete(user);
      }
    };
    const logins = otherProcess(admin);
    const users = Array.from({ length: 10 }, (_, number) => `nobody_${String(number)}`);
    await Promise.all(users.map((user) => logins.findDatabase(user)));
    expect(most).toBe(1);
  });
});

describe("a login that is granted again", () => {
  it("keeps its sessions when another process knows the same password", async () => {
    const { id, first } = await makeTwoLogins();
    const session = await cluster.connect(id, first);
    await otherProcess().grant(id, first);
    await session.query("select");
    await cluster.connect(id, first);
  });

  it("loses the limit and the mark that a person gave it", async () => {
    const { id, first } = await makeTwoLogins();
    const before = await roleOf(first.user);
    expect(before).toEqual({
      login: true,
      limit: 100,
      mark: installation.buildLoginComment(first.connectionId),
      settings: [`role=${id}`, "log_min_messages=fatal"],
    });
    await observer.query(
      `alter role ${first.user} connection limit 1; comment on role ${first.user} is '${installation.roleComment}'`,
    );
    await otherProcess().grant(id, first);
    expect(await roleOf(first.user)).toEqual(before);
  });

  it("can log in again after an interrupted removal, and nobody still uses it", async () => {
    const { id, first } = await makeTwoLogins();
    const session = await cluster.connect(id, first);
    await observer.query(`alter role ${first.user} nologin`);
    await cluster.databases.grant(id, first);
    await expect(session.query("select")).rejects.toThrow();
    await cluster.connect(id, first);
  });

  const fresh = "fresh";

  it("loses sessions that start while it gets its password", async () => {
    const { id, first } = await makeTwoLogins();
    let session: Client | undefined;
    const admin = observeAdmin(cluster, async (statement) => {
      if (/^alter role .* password/.test(statement)) session ??= await cluster.connect(id, first);
    });
    await otherProcess(admin).grant(id, { ...first, pass: fresh });
    await expect(session?.query("select")).rejects.toThrow();
    await cluster.connect(id, { ...first, pass: fresh });
  });

  /** What the process that grants it remembers of it, and whether it has a session. */
  const memories = [
    ["has not seen it", undefined, false],
    ["has set its password", fresh, false],
    ["remembers a password that another process has replaced", "previous", false],
    ["remembers a password that another process has replaced, while it is used", "previous", true],
  ] as const;

  it.each(memories)(
    "lets clients in at every moment, if it accepts the password: by a process that %s",
    async (_, memory, isUsed) => {
      const { id, first: previous } = await makeTwoLogins();
      const credential = { ...previous, pass: fresh };
      await cluster.databases.grant(id, credential);
      const session = isUsed ? await cluster.connect(id, credential) : undefined;
      const states: unknown[] = [];
      const admin = observeAdmin(cluster, async () => {
        states.push((await roleOf(credential.user))?.login);
      });
      const logins = otherProcess(admin);
      if (memory !== undefined) logins.cacheCredential(id, { ...previous, pass: memory });
      await logins.grant(id, credential);
      expect(new Set(states)).toEqual(new Set([true]));
      await session?.query("select");
      await cluster.connect(id, credential);
    },
  );

  it("gets a new password while clients keep all others from connecting", async () => {
    const { id, first } = await makeTwoLogins();
    const admin = makeAdmin(cluster);
    vi.spyOn(admin, "acceptsLogin").mockRejectedValue(new DatabaseUnavailableError("too many clients"));
    const logins = otherProcess(admin);
    await expect(logins.grant(id, { ...first, pass: fresh })).rejects.toThrow("too many clients");
    logins.cacheCredential(id, first);
    await logins.grant(id, { ...first, pass: fresh });
    await cluster.connect(id, { ...first, pass: fresh });
  });

  it("accepts no sessions between the end of the old ones and the new password", async () => {
    const { id, first } = await makeTwoLogins();
    const session = await cluster.connect(id, first);
    const between: unknown[] = [];
    const admin = observeAdmin(cluster, async (statement) => {
      if (!/^alter role \S+ login/.test(statement)) return;
      between.push(
        await session.query("select").then(
          () => "open",
          () => "ended",
        ),
      );
      between.push((await roleOf(first.user))?.login);
    });
    await otherProcess(admin).grant(id, { ...first, pass: fresh });
    expect(between).toEqual(["ended", false]);
    await cluster.connect(id, { ...first, pass: fresh });
  });
});

describe("the logins of a database that are dropped", () => {
  it("are all but those that stay, whose sessions continue", async () => {
    const { id, first, second } = await makeTwoLogins();
    const [staying, leaving] = [await cluster.connect(id, first), await cluster.connect(id, second)];
    const logins = otherProcess();
    await logins.dropAllLogins(id, [first.user]);
    await staying.query("select");
    await expect(leaving.query("select")).rejects.toThrow();
    expect(await cluster.namesIn("rolname", first.user)).toEqual([first.user]);
    await logins.dropAllLogins(id);
    expect(await cluster.namesIn("rolname", first.user)).toEqual([]);
  });

  it("may have been dropped by another process meanwhile", async () => {
    const { id, first, second } = await makeTwoLogins();
    let isDropped = false;
    const admin = observeAdmin(cluster, async (statement) => {
      if (isDropped || !statement.includes("where rolname = any")) return;
      isDropped = true;
      await otherProcess().revoke(id, first.connectionId);
    });
    await otherProcess(admin).revoke(id, first.connectionId);
    expect(isDropped).toBe(true);
    expect(await cluster.namesIn("rolname", first.user)).toEqual([second.user]);
  });
});
