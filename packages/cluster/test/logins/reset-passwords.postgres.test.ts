import { type DatabaseCredential, DatabaseUnavailableError } from "@mgmt/engine";
import type { Client } from "pg";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { AdminConnection } from "../../src/connection/admin-connection.js";
import { RoleRemover } from "../../src/databases/role-remover.js";
import { Logins } from "../../src/logins/logins.js";
import { Cluster, secondCredential } from "../../../platform/test/cluster.js";
import { makeAdmin } from "../sessions.js";

const cluster = new Cluster();
let observer: Client;

beforeAll(async () => {
  observer = await cluster.connectAsAdmin("postgres");
});

const loginsOf = (admin: AdminConnection = makeAdmin(cluster)): Logins =>
  new Logins(admin, new RoleRemover(admin));

interface Tenant {
  name: string;
  credentials: [DatabaseCredential, DatabaseCredential];
}

/** Makes a database with two logins. */
const makeTenant = async (): Promise<Tenant> => {
  const { id, credential } = await cluster.makeTenant();
  const second = secondCredential(credential);
  await cluster.databases.grant(id, second);
  return { name: id, credentials: [credential, second] };
};

const makeTenants = (count: number): Promise<Tenant[]> =>
  Promise.all(Array.from({ length: count }, () => makeTenant()));

describe("resetting the passwords of databases", () => {
  it("sets the passwords of all logins in one trip", async () => {
    const tenants = await makeTenants(4);
    const users = tenants.flatMap(({ credentials }) => credentials.map(({ user }) => user));
    for (const user of users) await observer.query(`alter role ${user} password 'mine'`);
    const admin = makeAdmin(cluster);
    const query = vi.spyOn(admin, "query");
    const script = vi.spyOn(admin, "runScript");
    const done = await loginsOf(admin).resetPasswords(tenants);
    expect([...done].sort()).toEqual(tenants.map(({ name }) => name).sort());
    expect([query.mock.calls.length, script.mock.calls.length]).toEqual([1, 1]);
    for (const { name, credentials } of tenants) {
      for (const credential of credentials) await (await cluster.connect(name, credential)).end();
    }
  });

  it("resets a database that has no logins", async () => {
    const { name, credentials } = await makeTenant();
    for (const { connectionId } of credentials) await cluster.databases.revoke(name, connectionId);
    expect([...(await loginsOf().resetPasswords([{ name, credentials: [] }]))]).toEqual([name]);
    expect([...(await loginsOf().resetPasswords([{ name: "db_missing", credentials: [] }]))]).toEqual([]);
  });

  it.each<[string, (tenant: Tenant) => Promise<unknown>]>([
    ["a login is disabled", ({ credentials: [{ user }] }) => observer.query(`alter role ${user} nologin`)],
    [
      "a login has another limit",
      ({ credentials: [{ user }] }) => observer.query(`alter role ${user} connection limit 1`),
    ],
    [
      "a login belongs to another connection",
      ({ credentials: [{ user }] }) =>
        observer.query(
          `comment on role ${user} is '${cluster.policy.installation.buildLoginComment("con_other")}'`,
        ),
    ],
    [
      "a login has no mark",
      ({ credentials: [{ user }] }) => observer.query(`comment on role ${user} is null`),
    ],
    [
      "a login also belongs to another role",
      ({ name, credentials: [{ user }] }) =>
        observer.query(`create role "other ${name}"; grant "other ${name}" to ${user}`),
    ],
    [
      "a login is missing",
      ({ name, credentials: [{ connectionId }] }) => cluster.databases.revoke(name, connectionId),
    ],
    [
      "there is a login without a record",
      ({ name }) => observer.query(`create role "more ${name}" login in role ${name}`),
    ],
    ["a login has a session", ({ name, credentials: [first] }) => cluster.connect(name, first)],
  ])("leaves a database to its repair when %s", async (_, change) => {
    const [other, tenant] = [await makeTenant(), await makeTenant()];
    await change(tenant);
    expect([...(await loginsOf().resetPasswords([other, tenant]))]).toEqual([other.name]);
  });

  it("leaves all databases of a transaction that Postgres refuses to their repair", async () => {
    const tenants = await makeTenants(2);
    const admin = makeAdmin(cluster);
    const script = admin.runScript.bind(admin);
    admin.runScript = (statements) => script([...statements, "alter role missing_role password null"]);
    expect(await loginsOf(admin).resetPasswords(tenants)).toEqual(new Set());
  });

  it("stops when the connection to Postgres is lost, because repairs could not work either", async () => {
    const tenants = await makeTenants(1);
    const admin = makeAdmin(cluster);
    const script = admin.runScript.bind(admin);
    admin.runScript = (statements) =>
      script([...statements, "select pg_terminate_backend(pg_backend_pid())"]);
    await expect(loginsOf(admin).resetPasswords(tenants)).rejects.toBeInstanceOf(DatabaseUnavailableError);
  });
});
