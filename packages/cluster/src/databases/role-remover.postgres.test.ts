import { DatabaseUnavailableError } from "@mgmt/engine";
import { DatabaseError } from "pg";
import { describe, expect, it } from "vitest";
import { Cluster, secondCredential } from "../../../platform/test/cluster.js";
import { installation } from "../../../platform/test/installation.js";
import { useCopySetup } from "../../test/databases/copy-setup.js";
import { observeAdmin } from "../../test/observed-admin.js";
import { makeAdmin } from "../../test/sessions.js";
import { RoleRemover } from "./role-remover.js";

const cluster = new Cluster();
const setup = useCopySetup(cluster);
const { makeCopies, readState, dropLater } = setup;

const makeRemover = (): RoleRemover => new RoleRemover(makeAdmin(cluster));

const observe = (before: Parameters<typeof observeAdmin>[1]): RoleRemover =>
  new RoleRemover(observeAdmin(cluster, before));

describe("a login that is dropped", () => {
  const roleOf = async (name: string) => {
    const { rows } = await setup.observer.query<{ login: boolean; mark: string; groups: string }>(
      `select rolcanlogin as login, shobj_description(oid, 'pg_authid') as mark,
        (select count(*) from pg_auth_members where member = r.oid) as groups from pg_roles r where rolname = $1`,
      [name],
    );
    return rows[0];
  };

  /** Makes a tenant whose second login has a session. */
  const makeTwoLogins = async () => {
    const { id, credential } = await cluster.makeTenant();
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    return { id, credential, user: second.user, session: await cluster.connect(id, second) };
  };

  it("loses its sessions, and other logins keep theirs", async () => {
    const { id, credential, user, session } = await makeTwoLogins();
    const other = await cluster.connect(id, credential);
    await makeRemover().dropRole(user, id);
    await expect(session.query("select")).rejects.toThrow();
    expect(await roleOf(user)).toBeUndefined();
    await other.query("select");
  });

  it("loses privileges that another tenant gave it on its database", async () => {
    const { id, user } = await makeTwoLogins();
    const other = await cluster.makeTenant();
    const session = await cluster.connect(other.id, other.credential);
    await session.query(`grant connect on database ${other.id} to "${user}"`);
    await makeRemover().dropRole(user, id);
    expect(await roleOf(user)).toBeUndefined();
  });

  it("remains without rights and settings while another tenant's database has privileges for it, which are not touched", async () => {
    const { id, user, session: own } = await makeTwoLogins();
    await own.query(`set role none; alter role "${user}" set work_mem = '5MB'`);
    await own.query(`alter role "${user}" in database postgres set work_mem = '5MB'`);
    const other = await cluster.makeTenant();
    const session = await cluster.connect(other.id, other.credential);
    await session.query(`create table shared (); grant select on shared to "${user}"`);
    const remover = makeRemover();
    await remover.dropRole(user, id);
    expect(await roleOf(user)).toEqual({ login: false, mark: installation.retiredRoleComment, groups: "0" });
    const acl = "select from pg_class where relname = 'shared' and position($1 in relacl::text) > 0";
    expect((await session.query(acl, [user])).rowCount).toBe(1);
    const settings = "select from pg_db_role_setting where setrole = $1::regrole";
    expect((await session.query(settings, [user])).rowCount).toBe(0);

    await remover.dropRetiredRoles();
    expect(await roleOf(user)).toBeDefined();
    await makeCopies().drop(other.id);
    await remover.dropRetiredRoles();
    expect(await roleOf(user)).toBeUndefined();
  });

  /** Statements of the platform give up each lock at once. */
  const impatient = () =>
    observe((statement) =>
      /^drop (role|owned)/.test(statement) ? "set local lock_timeout = '1ms'" : undefined,
    );

  it("remains without rights while a session that the platform cannot end locks it, and is dropped later", async () => {
    const { id, user } = await makeTwoLogins();
    const holder = await cluster.connectAsAdmin("postgres");
    await holder.query(`begin; create table locked (); grant select on locked to "${user}"`);
    const remover = impatient();
    await remover.dropRole(user, id);
    expect(await roleOf(user)).toEqual({ login: false, mark: installation.retiredRoleComment, groups: "0" });

    await remover.dropRetiredRoles();
    expect(await roleOf(user)).toBeDefined();
    await holder.query("rollback");
    await remover.dropRetiredRoles();
    expect(await roleOf(user)).toBeUndefined();
  });

  it("remains without rights while a session that the platform cannot end locks a database on which it has privileges", async () => {
    const { id, user } = await makeTwoLogins();
    const other = await cluster.makeTenant();
    const holder = await cluster.connectAsAdmin("postgres");
    await holder.query(`grant connect on database ${other.id} to "${user}"`);
    await holder.query(`begin; alter database ${other.id} connection limit 5`);
    const remover = impatient();
    await remover.dropRole(user, id);
    expect(await roleOf(user)).toEqual({ login: false, mark: installation.retiredRoleComment, groups: "0" });

    await holder.query("rollback");
    await makeCopies().drop(other.id);
    await remover.dropRetiredRoles();
    expect(await roleOf(user)).toBeUndefined();
  });

  it.each(["an open database", "a closed database", "a backup"])(
    "gives its objects in %s to the owner, and leaves it as it is",
    async (which) => {
      const { id, credential, user, session } = await makeTwoLogins();
      const owner = await cluster.connect(id, credential);
      await owner.query(`grant create on schema public to "${user}"`);
      await session.query(`set role "${user}"; create table mine ()`);
      const name = which === "a backup" ? dropLater(`${id}.bkp_objects`) : id;
      if (which === "a closed database")
        await setup.observer.query(`alter database ${id} allow_connections false`);
      if (which === "a backup") await makeCopies().copy(id, name);
      await makeRemover().dropRole(user, id);
      expect((await readState(name))?.open).toBe(which === "an open database");
      expect(await roleOf(user)).toBeUndefined();

      await setup.observer.query(`alter database "${name}" allow_connections true`);
      const within = await cluster.connectAsAdmin(name);
      const { rows } = await within.query("select tableowner from pg_tables where tablename = 'mine'");
      expect(rows).toEqual([{ tableowner: id }]);
      await within.end();
    },
  );

  it.each([
    ["cannot be reached", "select pg_terminate_backend(pg_backend_pid())", DatabaseUnavailableError],
    ["has an internal error", "do $$ begin raise 'internal' using errcode = 'XX001'; end $$", DatabaseError],
  ])("keeps its mark when Postgres %s, so that the removal is repeated", async (_, failing, expected) => {
    const { id, user } = await makeTwoLogins();
    const remover = observe((statement) => (statement.startsWith("drop role") ? failing : undefined));
    await expect(remover.dropRole(user, id)).rejects.toBeInstanceOf(expected);
    expect((await roleOf(user))?.mark).toContain(`${installation.roleComment} connection`);
  });
});
