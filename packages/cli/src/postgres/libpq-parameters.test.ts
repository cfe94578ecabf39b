import { describe, expect, it } from "vitest";
import { buildLibpqSettings } from "./libpq-parameters.js";
import {
  ConnectionStringError,
  parseConnectionString,
} from "@mgmt/internal/postgres/parse-connection-string";

const connectionOf = (text: string, env: Readonly<Record<string, string>> = {}) =>
  buildLibpqSettings(parseConnectionString(text), env);

const parts = { PGHOST: "db.example", PGUSER: "u", PGPASSWORD: "p w'\\;", PGDATABASE: "shop" };

describe("a connection string", () => {
  it.each([
    ["a URI", "postgresql://u:p%20w'%5C;@db.example/shop"],
    [
      "a URI with all of it in parameters",
      "postgres:///?host=db.example&user=u&password=p%20w'%5C;&dbname=shop",
    ],
    ["a URI of SQLAlchemy", "postgresql+asyncpg://u:p%20w'%5C;@db.example/shop"],
    ["a URL of JDBC", "jdbc:postgresql://db.example/shop?user=u&password=p%20w'%5C;"],
    ["keywords and values", String.raw`host=db.example user = u password='p w\'\\;' dbname=shop`],
    ["pairs of Npgsql", `Host=db.example;Username=u;Password="p w'\\;";Database=shop`],
    ["pairs with other names", `Server=db.example; User Id=u; Pwd='p w''\\;'; DB=shop;`],
  ])("may be %s", (_, text) => {
    const { variables, args, displayName } = connectionOf(text);
    expect(variables).toEqual({ ...parts, PGSSLMODE: "require", PGGSSENCMODE: "disable" });
    expect({ args, displayName }).toEqual({ args: [], displayName: "db.example/shop" });
  });

  it("may have several hosts, addresses, and what only arguments can say", () => {
    const { variables, args, displayName } = connectionOf(
      "postgresql://u@[::1]:5433,127.0.0.1:5434/d?target_session_attrs=read-write&require_auth=scram-sha-256,!md5&keepalives_idle=30" +
        "&options=endpoint%3Dep-1&channel_binding=require&application_name=app",
    );
    expect(variables).toMatchObject({
      PGHOST: "::1,127.0.0.1",
      PGPORT: "5433,5434",
      PGTARGETSESSIONATTRS: "read-write",
      PGOPTIONS: "endpoint=ep-1",
      PGCHANNELBINDING: "require",
      PGAPPNAME: "app",
    });
    expect(args).toEqual(["--dbname=require_auth=scram-sha-256,!md5 keepalives_idle=30"]);
    expect(displayName).toBe("[::1],127.0.0.1:5433,5434/d");
  });

  it.each([
    ["postgresql://db.example/d", {}, "require"],
    ["postgresql://db.example/d", { PGSSLMODE: "prefer" }, "require"],
    ["postgresql://db.example/d", { PGSSLMODE: "verify-full" }, "verify-full"],
    ["postgresql://db.example/d", { PGSSLMODE: "hidden" }, "require"],
    ["postgresql://db.example/d?sslmode=prefer", { PGSSLMODE: "verify-full" }, "prefer"],
    ["postgresql://db.example/d?sslmode=no-verify", {}, "require"],
    ["postgresql://db.example/d?ssl=true&sslmode=verify-full", {}, "verify-full"],
    ["postgresql://localhost?ssl=true", {}, "require"],
    ["Host=db.example;SSL Mode=VerifyFull", {}, "verify-full"],
    ["postgresql://localhost/d", {}, undefined],
    ["postgresql://127.0.0.1/d", { PGSSLMODE: "require" }, "require"],
    ["postgresql://[::1]/d", {}, undefined],
    ["postgresql://%2Ftmp/d", {}, undefined],
    ["postgresql://localhost,db.example/d", {}, "require"],
    ["postgresql://localhost/d?hostaddr=192.0.2.1", {}, "require"],
    ["postgresql://127.0.0.1.example/d", {}, "require"],
  ])("reaches another machine only with TLS unless it says otherwise: %s with %j", (text, env, mode) => {
    expect(connectionOf(text, env).variables["PGSSLMODE"]).toBe(mode);
  });

  it.each([
    ["postgresql://db.example?sslmode=disable", "disable"],
    ["postgresql://db.example?sslmode=allow", "allow"],
    ["postgresql://localhost?sslmode=disable", undefined],
    ["postgresql://db.example?sslmode=require", undefined],
  ])("that allows no TLS is obeyed, with a warning: %s", (text, weakSslMode) => {
    expect(connectionOf(text).weakSslMode).toBe(weakSslMode);
  });

  it("passes the authority of PGSSLROOTCERT on, unless it names its own", () => {
    const env = { PGSSLMODE: "verify-ca", PGSSLROOTCERT: "/ca.pem" };
    expect(connectionOf("host=h", env).variables).toMatchObject(env);
    expect(connectionOf("host=h sslrootcert=system", env).variables["PGSSLROOTCERT"]).toBe("system");
  });

  it("leaves out what programs of Postgres do not know, and names only what is surely no part of a password", () => {
    const { omittedNames, unknownCount, variables } = connectionOf(
      "postgresql://h/d?schema=public&pgbouncer=true&password=ab&cd=ef&currentSchema=x&ssl=true&replication=database",
    );
    expect({ omittedNames, unknownCount }).toEqual({
      omittedNames: {
        driverParameters: ["schema", "pgbouncer", "currentSchema", "replication"],
        secretParameters: [],
      },
      unknownCount: 1,
    });
    expect(Object.keys(variables)).toEqual([
      "PGHOST",
      "PGDATABASE",
      "PGPASSWORD",
      "PGSSLMODE",
      "PGGSSENCMODE",
    ]);
  });

  it.each(["sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"])(
    "does not pass %s on, which would be an argument",
    (name) => {
      const { omittedNames, variables, args } = connectionOf(`host=h ${name}=hidden`);
      expect(omittedNames.secretParameters).toEqual([name]);
      expect(JSON.stringify({ variables, args })).not.toContain("hidden");
    },
  );

  it.each(["__proto__=1", "constructor=1", "toString=1"])("may have a parameter of any name: %s", (pair) => {
    expect(connectionOf(`host=h ${pair}`)).toMatchObject({ unknownCount: 1, args: [] });
  });

  it("is refused with an error of its own", () => {
    expect(() => connectionOf("hidden")).toThrow(ConnectionStringError);
  });
});
