import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SetupSession } from "./setup-session.js";
import { fakeAccess } from "../../test/postgres/fake-access.js";
import {
  type FakePostgres,
  startFakePostgres,
  type StatementReply,
} from "../../test/postgres/fake-postgres.js";

const doneComment = "mgmt preview: the setup of db_1 has succeeded";
let postgres: FakePostgres;
let reply: (statement: string) => StatementReply;
beforeEach(async () => {
  reply = () => undefined;
  postgres = await startFakePostgres((statement) => reply(statement));
});
afterEach(() => postgres.close());

const open = () => SetupSession.open(fakeAccess(postgres), { signal: new AbortController().signal });

describe("the session of a setup", () => {
  it.each([
    ["none", []],
    ["done", [doneComment]],
    ["none", [doneComment.replace("db_1", "db_other")]],
    ["unknown", [null]],
    ["unknown", ["mine"]],
    ["unknown", [`${doneComment}; drop table notes`]],
  ] as const)("reads the state %s from the comments %j", async (state, rows) => {
    reply = () => ({ column: "comment", rows });
    const session = await open();
    expect(await session.readState()).toBe(state);
    await session.close();
    expect(postgres.log[0]).toContain("pg_catalog.obj_description(");
    expect(postgres.sessions[0]?.["options"]).toBe("-c search_path=pg_catalog");
  });

  it("says whether it has the lock", async () => {
    const locked = [true, false];
    reply = () => ({ column: "locked", rows: [locked.shift() ?? null] });
    const session = await open();
    expect([await session.tryLock(), await session.tryLock(), await session.tryLock()]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("records a success, over another connection if the first one is lost, and fails if that is lost too", async () => {
    let breaks = 1;
    reply = () => (breaks-- > 0 ? "break" : { column: "locked", rows: [true] });
    await (await open()).recordDone();
    expect(postgres.log.at(-2)).toContain("pg_try_advisory_lock");
    expect(postgres.log.at(-1)).toBe(
      `create schema if not exists mgmt_preview; comment on schema mgmt_preview is '${doneComment}'`,
    );
    breaks = 2;
    await expect((await open()).recordDone()).rejects.toThrow();
    expect(postgres.sessions).toHaveLength(4);
  });

  it("records no success after a lost connection if another session has the lock", async () => {
    reply = (statement) =>
      statement.includes("pg_try_advisory_lock") ? { column: "locked", rows: [false] } : "break";
    await expect((await open()).recordDone()).rejects.toThrow("another run may have begun the setup");
    expect(postgres.log.filter((statement) => statement.startsWith("create schema"))).toHaveLength(1);
  });

  it("cannot be opened where nothing listens", async () => {
    const { signal } = new AbortController();
    await expect(SetupSession.open(fakeAccess({ port: 1 }), { signal })).rejects.toMatchObject({
      code: "database:unreachable",
    });
  });
});
