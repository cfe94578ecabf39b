import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Resource,
  call,
  control,
  finalStatus,
  makeProject,
  query,
} from "../../packages/platform/test/api.js";
import { type DevProcess, startDev } from "./dev-process.js";
import { sessionOpener } from "./sessions.js";

let dev: DevProcess;
const open = sessionOpener();

beforeAll(async () => {
  dev = await startDev();
});
afterAll(() => dev.stop());

const wrongPassword = { code: "28P01" };
const lockNotAvailable = { code: "55P03" };

const nameOf = (connectionString: string): string => new URL(connectionString).pathname.slice(1);
const userOf = (connectionString: string): string => new URL(connectionString).username;

/** Creates a connection for the next steps of a test, so that the attacker's own connection stays as it is. */
const addConnection = ({ id }: Resource): Promise<Resource> =>
  call(dev.ready, "POST", `/v1/databases/${id}/connections`, { name: "another" });

const rotate = ({ id }: { id: string }): Promise<Resource> =>
  call(dev.ready, "POST", `/v1/connections/${id}/rotate`);

const deleteProject = ({ id }: Resource): Promise<Resource> =>
  call(dev.ready, "DELETE", `/v1/projects/${id}`);

const firstConnection = ({ connections }: Resource): { id: string } => {
  const [first] = connections;
  if (first === undefined) throw new Error("The database has no connection");
  return first;
};

describe("a tenant that tries to stall the platform", () => {
  it("does not succeed with settings of its database that break each session", async () => {
    const project = await makeProject(dev.ready);
    const { database } = project;
    const name = nameOf(database.connectionString);
    const second = await addConnection(database);
    await query(second.connectionString, "create table notes as select 'kept' as text");
    const attacker = await open(database.connectionString);
    for (const setting of [
      "local_preload_libraries = '$libdir/plugins/missing'",
      "default_transaction_read_only = on",
      "statement_timeout = 1",
      "search_path = nowhere",
    ]) {
      await attacker.query(`alter database "${name}" set ${setting}`);
    }
    // The control: the settings break the sessions of the tenant.
    await expect(query(second.connectionString, "select 1")).rejects.toThrow();

    const rotated = await rotate(second);
    expect(rotated.connectionString).not.toBe(second.connectionString);
    await call(dev.ready, "DELETE", `/v1/connections/${second.id}`);
    const backup = await control(dev.ready, "POST", `/databases/${database.id}/backups`);
    expect(backup.status).toBe("completed");
    const copy = await call(dev.ready, "POST", `/v1/projects/${project.id}/databases`, {
      source: { type: "database", databaseId: database.id },
    });
    expect(await finalStatus(dev.ready, copy.id)).toBe("ready");
    await call(dev.ready, "DELETE", `/v1/databases/${copy.id}`);
    await deleteProject(project);
  });

  it("does not succeed with a connection limit of zero, or by marking its database as a template", async () => {
    const project = await makeProject(dev.ready);
    const { database } = project;
    const name = nameOf(database.connectionString);
    const second = await addConnection(database);
    const attacker = await open(database.connectionString);
    await attacker.query(`alter database "${name}" is_template true`);
    await attacker.query(`alter database "${name}" connection limit 0`);
    // The control: nobody can connect any more.
    await expect(query(second.connectionString, "select 1")).rejects.toThrow();
    await rotate(second);
    await call(dev.ready, "DELETE", `/v1/connections/${second.id}`);
    await deleteProject(project);
  });

  it("does not stop a rotation with a transaction that keeps its own role locked", async () => {
    const { database } = await makeProject(dev.ready);
    const { connectionString } = database;
    const user = userOf(connectionString);
    const attacker = await open(connectionString);
    await attacker.query(`set role none; begin; alter role ${user} password 'kept-open'`);
    // The control: a change of the password waits for the transaction.
    const other = await open(connectionString);
    await expect(
      other.query(`set role none; set lock_timeout = '300ms'; alter role ${user} password 'other'`),
    ).rejects.toMatchObject(lockNotAvailable);

    const rotated = await rotate(firstConnection(database));
    await expect(query(connectionString, "select 1")).rejects.toMatchObject(wrongPassword);
    await expect(attacker.query("commit")).rejects.toThrow();
    expect(await query(rotated.connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("does not succeed with any number of transactions that keep their databases locked", async () => {
    const projects = await Promise.all(Array.from({ length: 8 }, () => makeProject(dev.ready)));
    for (const { database } of projects) {
      const attacker = await open(database.connectionString);
      await attacker.query(
        `begin; grant connect on database "${nameOf(database.connectionString)}" to public`,
      );
    }
    // The control: a change of the database waits for the transaction.
    const { connectionString } = projects[0]?.database ?? { connectionString: "" };
    const other = await open(connectionString);
    await expect(
      other.query(
        `set lock_timeout = '300ms'; grant connect on database "${nameOf(connectionString)}" to public`,
      ),
    ).rejects.toMatchObject(lockNotAvailable);

    const backups = projects.map(({ database }) =>
      control(dev.ready, "POST", `/databases/${database.id}/backups`),
    );
    const bystander = await makeProject(dev.ready);
    await query(bystander.database.connectionString, "select 1");
    expect((await Promise.all(backups)).map(({ status }) => status)).toEqual(projects.map(() => "completed"));
    await Promise.all(projects.map(deleteProject));
  });

  it("does not succeed by granting privileges to roles of another tenant in a database that it keeps locked", async () => {
    const [victim, attacking] = [await makeProject(dev.ready), await makeProject(dev.ready)];
    const attacker = await open(attacking.database.connectionString);
    const role = userOf(victim.database.connectionString);
    await attacker.query(`create table bait (id int); grant all on bait to ${role}`);
    await attacker.query(`grant all on schema public to "${nameOf(victim.database.connectionString)}"`);
    await attacker.query("begin; lock table bait in access exclusive mode");
    // The control: revoking the privilege waits for the lock.
    const other = await open(attacking.database.connectionString);
    await expect(
      other.query(`set lock_timeout = '300ms'; revoke all on bait from ${role}`),
    ).rejects.toMatchObject(lockNotAvailable);

    await deleteProject(victim);
    await expect(query(victim.database.connectionString, "select 1")).rejects.toMatchObject(wrongPassword);
    // Nothing of the platform ran in the attacker's database: its transaction is still open.
    await attacker.query("commit");
    await deleteProject(attacking);
  });
});

it("refuses a tenant that raises the limit of its temporary files", async () => {
  const { database } = await makeProject(dev.ready);
  const session = await open(database.connectionString);
  // The control: other limits of the session can be changed.
  await session.query("set work_mem = '64kB'");
  await expect(session.query("set temp_file_limit = -1")).rejects.toMatchObject({ code: "42501" });
  const { rows } = await session.query("show temp_file_limit");
  expect(rows).toEqual([{ temp_file_limit: "1GB" }]);
});
