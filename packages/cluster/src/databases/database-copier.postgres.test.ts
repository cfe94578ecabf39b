import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Cluster } from "../../../platform/test/cluster.js";
import { staging, prepared } from "../../../platform/test/installation.js";
import { closedState, useCopySetup } from "../../test/databases/copy-setup.js";
import { observeAdmin } from "../../test/observed-admin.js";
import { running } from "../../test/sessions.js";
import { DatabaseCopier } from "./database-copier.js";

const cluster = new Cluster();
const setup = useCopySetup(cluster);
const { makeCopies, readState, dropLater } = setup;

const observe = (before: Parameters<typeof observeAdmin>[1]): DatabaseCopier =>
  new DatabaseCopier(observeAdmin(cluster, before));

describe("a new empty database", () => {
  it("is closed to all and belongs to the platform", async () => {
    const name = dropLater(prepared("empty"));
    await makeCopies().createEmpty(prepared("making.empty"), name);
    expect(await readState(name)).toEqual(closedState);
    expect(await readState(prepared("making.empty"))).toBeUndefined();
  });

  it("is copied as files, because this server does not wait for the disk", async ({ skip }) => {
    if (cluster.policy.major < 15) skip("this version always copies files");
    const name = dropLater(prepared("files"));
    const statements: string[] = [];
    const copies = observe((statement) => {
      if (statement.startsWith("create database")) statements.push(statement);
      return Promise.resolve();
    });
    await copies.createEmpty(prepared("making.files"), name);
    expect(statements).toEqual([expect.stringContaining(" strategy file_copy ")]);
  });
});

describe("a copy of a prepared database", () => {
  it("is closed to all, belongs to the platform, and has its cached catalogs", async ({ skip }) => {
    if (cluster.policy.major < 15) skip("this version has one way to copy databases");
    const [template, name] = [dropLater(prepared("template")), dropLater(prepared("copy"))];
    const copies = makeCopies();
    expect(await copies.createEmpty(prepared("making.template"), template)).toBe(true);
    await copies.copyPrepared(template, prepared("making.copy"), name);
    expect(await readState(name)).toEqual(closedState);
    expect(await readState(prepared("making.copy"))).toBeUndefined();
    const { rows } = await setup.observer.query(
      `select (pg_stat_file(format('base/%s/pg_internal.init', oid), true)).size > 0 as "isCached"
        from pg_database where datname = $1`,
      [name],
    );
    expect(rows).toEqual([{ isCached: true }]);
  });
});

describe("a copy of a database", () => {
  it("is closed to all and belongs to the platform", async () => {
    const { id } = await cluster.makeTenant();
    await makeCopies().copy(id, dropLater(`${id}.bkp_closed`));
    expect(await readState(`${id}.bkp_closed`)).toEqual(closedState);
  });

  it("is made while its source accepts no connections, which it does again afterwards", async () => {
    const { id } = await cluster.makeTenant();
    const states: (boolean | undefined)[] = [];
    const copies = observe(async (statement) => {
      if (statement.startsWith("create database")) states.push((await readState(id))?.open);
    });
    await copies.copy(id, dropLater(`${id}.bkp_open`));
    expect(states).toEqual([false]);
    expect((await readState(id))?.open).toBe(true);
  });

  it("leaves a database closed that must stay so", async () => {
    const { id } = await cluster.makeTenant();
    const copies = makeCopies();
    copies.mustStayClosed = (name) => name === id;
    await copies.copy(id, dropLater(`${id}.bkp_kept`));
    expect((await readState(id))?.open).toBe(false);
  });

  it("leaves a backup that it is made of closed", async () => {
    const { id } = await cluster.makeTenant();
    const copies = makeCopies();
    await copies.copy(id, dropLater(`${id}.bkp_source`));
    await copies.copy(`${id}.bkp_source`, dropLater(staging(id)));
    expect(await readState(`${id}.bkp_source`)).toEqual(closedState);
  });

  it("can be repeated later when another statement has just made a database of this name", async () => {
    const [{ id }, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const copies = makeCopies();
    await copies.copy(id, dropLater(`${id}.bkp_made`));
    await expect(copies.copy(id, `${id}.bkp_made`)).rejects.toBeInstanceOf(DatabaseUnavailableError);

    const name = dropLater(`${id}.bkp_race`);
    const results = await Promise.allSettled([copies.copy(id, name), copies.copy(other.id, name)]);
    const errors = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason as unknown] : [],
    );
    expect(errors).toEqual([expect.any(DatabaseUnavailableError)]);
  });

  it("fails when Postgres refuses it, and its source accepts connections again", async () => {
    const { id } = await cluster.makeTenant();
    await expect(makeCopies().copy(id, "")).rejects.toMatchObject({ code: "42601" });
    expect((await readState(id))?.open).toBe(true);
  });

  it.each([
    ["through the log when it is small", 0, "copy", ["wal_log"]],
    ["file by file when it is large", 16_000, "copy", ["file_copy"]],
    [
      "file by file when it is large and cloned, after a checkpoint",
      16_000,
      "clone",
      ["checkpoint", "file_copy"],
    ],
  ])("is made %s, where Postgres has the choice", async (_, rowCount, method, expected) => {
    const { id, credential } = await cluster.makeTenant();
    const { major } = cluster.policy;
    if (major >= 18) {
      await setup.observer.query(`alter role postgres set file_copy_method = ${method}`);
      onTestFinished(
        async () => void (await setup.observer.query("alter role postgres reset file_copy_method")),
      );
    }
    const session = await cluster.connect(id, credential);
    // Two kilobytes for each row.
    await session.query(
      `create table notes as select repeat('x', 1990) from generate_series(1, ${String(rowCount)})`,
    );
    const steps: string[] = [];
    const copies = observe(async (statement) => {
      if (!/^(create database|checkpoint)/.test(statement)) return;
      steps.push(/ strategy (\w+)/.exec(statement)?.[1] ?? statement.replace(/ .*/, ""));
      expect((await readState(id))?.open).toBe(statement === "checkpoint");
    });
    await copies.copy(id, dropLater(`${id}.bkp_copied`));
    const strategies = major >= 15 ? expected.filter((step) => step !== "checkpoint") : ["create"];
    expect(steps).toEqual(major >= 18 ? expected : strategies);
  });
});

describe("a copy that gets another owner", () => {
  it("has no objects or privileges of the source, stays closed, and changes nothing else", async () => {
    const [source, target] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const session = await cluster.connect(source.id, source.credential);
    const { user } = source.credential;
    await session.query(`create table notes (); grant select on notes to "${user}"`);
    await session.query(`alter default privileges grant select on tables to "${user}"`);
    await session.query(`revoke temporary on database ${source.id} from "${source.id}"`);
    const acl = "select datname, datdba, datacl::text from pg_database where datname in ($1, $2) order by 1";
    const { rows: before } = await setup.observer.query(acl, [source.id, target.id]);

    const name = dropLater(staging(target.id));
    const copies = makeCopies();
    await copies.copy(source.id, name);
    await copies.transferOwnership(name, source.id, target.id);

    const { rows: roles } = await setup.observer.query(
      `select distinct refobjid::regrole::text as role from pg_shdepend
        where refclassid = 'pg_authid'::regclass and dbid = (select oid from pg_database where datname = $1)`,
      [name],
    );
    expect(roles).toEqual([{ role: target.id }]);
    expect(await readState(name)).toEqual(closedState);
    expect((await setup.observer.query(acl, [source.id, target.id])).rows).toEqual(before);
    await cluster.connect(source.id, source.credential);
  });
});

describe("a database that is dropped", () => {
  it("may be missing", async () => {
    await makeCopies().drop("missing");
  });

  it("may be a template, which its tenant cannot make of it again meanwhile", async () => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    await setup.observer.query(`alter database ${id} is_template true`);
    const states: (boolean | undefined)[] = [];
    const copies = observe(async (statement) => {
      if (statement.startsWith("drop database")) states.push((await readState(id))?.open);
    });
    await copies.drop(id);
    expect(states).toEqual([false]);
    expect(await readState(id)).toBeUndefined();
    await expect(session.query("select")).rejects.toThrow();
  });

  it("takes a turn of the statements that drop databases only when a session that ignores its end is gone", async () => {
    const tenant = await cluster.makeTenant();
    const session = await cluster.connect(tenant.id, tenant.credential);
    const endless = session.query("do $$ begin loop end loop; end $$").catch(() => undefined);
    const [pid = 0] = await running(setup.observer, "loop end loop");
    process.kill(pid, "SIGSTOP");
    const statements: string[] = [];
    const dropped = observe((statement) => {
      statements.push(statement);
    }).drop(tenant.id);
    const looks = () => statements.filter((statement) => statement.includes("pg_terminate_backend"));
    const drops = () => statements.filter((statement) => statement.startsWith("drop database"));
    await vi.waitFor(() => expect(looks().length).toBeGreaterThan(3));
    expect(drops()).toEqual([]);
    process.kill(pid, "SIGCONT");
    await Promise.all([dropped, endless]);
    expect(drops()).toHaveLength(1);
  });

  it("may be invalid, because its creation or deletion was interrupted", async () => {
    const { id } = await cluster.makeTenant();
    await setup.observer.query("update pg_database set datconnlimit = -2 where datname = $1", [id]);
    await makeCopies().drop(id);
    expect(await readState(id)).toBeUndefined();
  });
});
