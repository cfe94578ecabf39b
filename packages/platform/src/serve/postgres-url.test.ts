import { describe, expect, it } from "vitest";
import { parsePostgresUrl } from "./postgres-url.js";

const parse = (url: string) => parsePostgresUrl("databaseUrl", url);

describe("the address of Postgres", () => {
  it.each([
    [
      "postgres://u:p%40@db.example:5433/records",
      { host: "db.example", port: 5433, user: "u", password: "p@", database: "records" },
    ],
    ["postgres://u@127.0.0.1", { host: "127.0.0.1", port: 5432, user: "u", password: "", database: "u" }],
    ["host=/var/run/postgresql user=u dbname=d", { host: "/var/run/postgresql", database: "d" }],
  ])("is read from a connection string: %s", async (url, address) => {
    expect(await parse(url)).toMatchObject(address);
  });

  it.each([
    ["postgres://u@127.0.0.1/d", undefined],
    ["postgres://u@db.example/d?sslmode=disable", undefined],
    ["postgres://u@db.example/d?sslmode=require", { rejectUnauthorized: false }],
    ["postgres://u@db.example/d", {}],
    ["postgres://u@db.example/d?sslmode=verify-ca", { checkServerIdentity: expect.any(Function) }],
  ])("verifies other machines unless sslmode says otherwise: %s", async (url, tls) => {
    expect((await parse(url)).tls).toEqual(tls);
  });

  it.each([
    ["postgres://u:hidden@/d", "no host"],
    ["postgres://:hidden@h/d", "no user"],
    ["postgres://u:hidden@a,b/d", "several hosts"],
    ["postgres://u:hidden@h:99999/d", "from 1 to 65535"],
    ["postgres://u:hidden@h/d?sslmode=prefer", "sslmode must be one of"],
    ["postgres://u:hidden@h/d?hidden=1", "1 parameters that the service does not know"],
    ["postgres://u:hidden@h/d?sslmode=verify-full&sslrootcert=/missing/hidden", "sslrootcert cannot be read"],
    ["mysql://u:hidden@h/d", "does not begin with postgresql://"],
  ])("is refused without its password: %s", async (url, problem) => {
    const error: unknown = await parse(url).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "serve:config_invalid", message: expect.stringContaining(problem) });
    expect(String(error)).not.toContain("hidden");
  });
});
