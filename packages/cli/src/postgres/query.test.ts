import { describe, expect, it } from "vitest";
import { type ProgramEnd, recordPrograms } from "../../test/recorded-programs.js";
import { runCatalogQuery } from "./query.js";

/** Runs a query for which psql ends in this way. */
const query = (end: ProgramEnd) => {
  const { env, calls } = recordPrograms({ psql: () => end });
  const target = {
    name: "db_shop",
    args: ["--dbname=shop"],
    env: { PGHOST: "db.test", PGCONNECT_TIMEOUT: "0" },
  };
  const values = runCatalogQuery("serverVersion", target, { env, signal: new AbortController().signal });
  return { values, calls };
};

describe("a query of the command", () => {
  it("returns the values of its column, which can contain line breaks", async () => {
    expect(await query({ stdout: "a\0b\nc\0" }).values).toEqual(["a", "b\nc"]);
  });

  it("waits ten seconds for a connection, reads no settings of the user, and asks for no password", async () => {
    const { values, calls } = query({});
    await values;
    expect(calls).toMatchObject([
      {
        env: { PGHOST: "db.test", PGCONNECT_TIMEOUT: "10", PGCLIENTENCODING: "UTF8", LC_ALL: "C" },
        args: expect.arrayContaining(["--no-psqlrc", "--no-password", "--dbname=shop"]),
      },
    ]);
  });

  it("throws what psql says, without its name", async () => {
    await expect(query({ stderr: "psql: error: refused\n", status: 2 }).values).rejects.toMatchObject({
      code: "database:unreachable",
      message: expect.stringMatching(/db_shop(?!.*psql).*refused/),
    });
  });
});
