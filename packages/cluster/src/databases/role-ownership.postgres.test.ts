import { describe, expect, it } from "vitest";
import { Cluster, secondCredential } from "../../../platform/test/cluster.js";
import { installation } from "../../../platform/test/installation.js";
import { closedState, useCopySetup } from "../../test/databases/copy-setup.js";
import { makeAdmin } from "../../test/sessions.js";
import { DatabaseCopier } from "./database-copier.js";
import { RoleRemover } from "./role-remover.js";

const cluster = new Cluster();
const setup = useCopySetup(cluster);
const { readState, dropLater } = setup;

describe("objects that change their owner", () => {
  /** Makes a login that owns tables, and copies with which all tenants may have 100 locks. */
  const makeTables = async (count: number) => {
    const { id, credential } = await cluster.makeTenant();
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    await (await cluster.connect(id, credential)).query(`grant create on schema public to "${second.user}"`);
    const session = await cluster.connect(id, second);
    const create = "execute format('create table table_%s ()', n)";
    await session.query(
      `set role none; do $$ begin for n in 1..${String(count)} loop ${create}; end loop; end $$`,
    );
    const admin = makeAdmin(cluster);
    admin.limits = { ...admin.limits, locks: 100 };
    const mark = async () => {
      const { rows } = await setup.observer.query<{ mark: string }>(
        "select shobj_description(oid, 'pg_authid') as mark from pg_roles where rolname = $1",
        [second.user],
      );
      return rows.map((row) => row.mark);
    };
    return {
      id,
      user: second.user,
      copies: new DatabaseCopier(admin),
      remover: new RoleRemover(admin),
      mark,
    };
  };

  it("may be many in one transaction at a time", async () => {
    const { id, user, remover, mark } = await makeTables(30);
    await remover.dropRole(user, id);
    expect(await mark()).toEqual([]);
  });

  it("are given away in several transactions in a copy, which nobody else can connect to", async () => {
    const [{ id, user, copies }, target] = [await makeTables(70), await cluster.makeTenant()];
    const session = await cluster.connectAsAdmin(id);
    await session.query(
      `set role "${user}"; create sequence "odd ""name"; create view v as select 1; create materialized view m as select 1;
       create table parts (id serial primary key, n int generated always as identity, t text) partition by range (id);
       create table part partition of parts default; create index on part (t)`,
    );
    await session.end();
    const name = dropLater(`making.${target.id}`);
    await copies.copy(id, name);
    await copies.transferOwnership(name, id, target.id);
    expect(await readState(name)).toEqual(closedState);
    await setup.observer.query(`alter database "${name}" allow_connections true`);
    const copy = await cluster.connectAsAdmin(name);
    const { rows } = await copy.query(
      "select distinct relowner::regrole::text as owner from pg_class where relnamespace = 'public'::regnamespace",
    );
    expect(rows).toEqual([{ owner: target.id }]);
    await copy.end();
  });

  it("are not given away in a copy when their policies are so many that the others would have no locks", async () => {
    const [{ id, user, copies }, target] = [await makeTables(1), await cluster.makeTenant()];
    const session = await cluster.connectAsAdmin(id);
    const create = `execute format('create policy policy_%s on table_1 to %I', n, '${user}')`;
    await session.query(`do $$ begin for n in 1..70 loop ${create}; end loop; end $$`);
    await session.end();
    const name = dropLater(`making.${target.id}`);
    await copies.copy(id, name);
    await expect(copies.transferOwnership(name, id, target.id)).rejects.toThrow("too many objects");
    expect(await readState(name)).toEqual(closedState);
  });

  it("stay as they are when they are so many that the others would have no locks", async () => {
    const { id, user, remover, mark } = await makeTables(70);
    await remover.dropRole(user, id);
    expect(await mark()).toEqual([installation.retiredRoleComment]);
    // The control: one transaction locks all of them.
    const superuser = await cluster.connectAsAdmin(id);
    await superuser.query(`begin; reassign owned by "${user}" to "${id}"`);
    const { rows } = await superuser.query<{ count: number }>(
      "select count(*)::integer from pg_locks where pid = pg_backend_pid() and mode = 'AccessExclusiveLock'",
    );
    expect(rows[0]?.count).toBeGreaterThanOrEqual(70);
    await superuser.end();
  });
});
