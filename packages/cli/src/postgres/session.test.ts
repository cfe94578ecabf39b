import { afterEach, describe, expect, it } from "vitest";
import { openSession, type PostgresSession } from "./session.js";
import { fakeAccess } from "../../test/postgres/fake-access.js";
import { type FakePostgres, startFakePostgres } from "../../test/postgres/fake-postgres.js";

let postgres: FakePostgres | undefined;
afterEach(() => postgres?.close());

const open = async (...options: Parameters<typeof startFakePostgres>): Promise<PostgresSession> => {
  postgres = await startFakePostgres(...options);
  return openSession(fakeAccess(postgres), { signal: new AbortController().signal });
};
const bytes = (text: string): Uint8Array => Buffer.from(text);

describe("a session of Postgres", () => {
  it("runs statements, and sends the rows of a COPY", async () => {
    const session = await open();
    expect(session.isInTransaction()).toBe(false);
    expect(await session.run(bytes("begin"))).toBe("done");
    expect(session.isInTransaction()).toBe(true);
    expect(await session.run(bytes("copy t from stdin"))).toBe("copy");
    await session.sendRows(bytes("1\n"));
    expect(await session.endRows()).toBe("done");
    await session.run(bytes("commit"));
    expect(session.isInTransaction()).toBe(false);
    await session.close();
    expect(postgres?.log).toEqual(["begin", "copy t from stdin", "rows 1\n", "commit", "end"]);
    expect(postgres?.sessions).toMatchObject([
      { user: "ada", database: "postgres", application_name: "mgmt" },
    ]);
  });

  it("says what the server has refused, after which it goes on", async () => {
    const session = await open((text) => (text === "bad" ? { error: "no", state: "42703" } : undefined));
    await expect(session.run(bytes("bad"))).rejects.toMatchObject({ code: "42703", message: "no" });
    expect(await session.run(bytes("good"))).toBe("done");
  });

  it("fails every statement after its connection is lost", async () => {
    const session = await open((text) => (text === "last" ? "break" : undefined));
    await expect(session.run(bytes("last"))).rejects.toThrow("Connection terminated");
    await expect(session.run(bytes("next"))).rejects.toThrow();
    await session.sendRows(bytes("1\n"));
    await session.close();
  });

  it.each([true, false])("knows whether a backslash is itself in a string: %s", async (standardStrings) => {
    expect((await open(undefined, { standardStrings })).hasStandardStrings()).toBe(standardStrings);
  });

  it("is refused with the name of the database, or with the reason of the signal", async () => {
    const access = fakeAccess({ port: 1 });
    const { signal } = new AbortController();
    await expect(openSession(access, { signal })).rejects.toMatchObject({
      code: "database:unreachable",
      message: expect.stringContaining("db_1"),
    });
    const interrupted = { signal: AbortSignal.abort(new Error("interrupted")) };
    await expect(openSession(access, interrupted)).rejects.toThrow("interrupted");
  });
});
