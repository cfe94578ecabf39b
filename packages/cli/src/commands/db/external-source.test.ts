import { describe, expect, it } from "vitest";
import { buildLibpqSettings } from "../../postgres/libpq-parameters.js";
import { ConnectionStringError, parseConnectionString } from "../../postgres/parse-connection-string.js";
import { redactConnectionStrings } from "../../run/failures/redact-connection-strings.js";
import { runInProcess } from "../../../test/in-process.js";

/** Imports from a connection string, which is refused before anything is sent. */
const importFrom = (text: string) =>
  runInProcess(["db", "import", "db_1", "--source-env", "X"], { env: { X: text } });

describe("a connection string that is refused", () => {
  it.each([
    ["a percent sign that encodes nothing", "postgresql://u:hidden%zz@127.0.0.1/db", "%25"],
    ["a percent sign at the end", "postgresql://u:hidden@127.0.0.1/db%2", "%25"],
    ["bytes that are not UTF-8", "postgresql://u:hidden%ff@127.0.0.1/db", "not UTF-8"],
    ["a null character", "postgresql://u:hidden%00@127.0.0.1/db", "null character"],
    ["a line break", "postgresql://u:hidden@127.0\n.0.1/db", "one line"],
    ["a space", "postgresql://u:hid den@127.0.0.1/db", "%20"],
    ["a / in the password", "postgresql://u:hidden/1@127.0.0.1/db", "/ as %2F"],
    ["a / at the beginning of the password", "postgresql://u:/hidden@127.0.0.1/db", "as %2F"],
    ["a / after a number in the password", "postgresql://u:12/hidden@127.0.0.1/db", "as %2F"],
    ["a / after an @ in the password", "postgresql://u:h@1/hidden@127.0.0.1/db", "as %40"],
    ["a ? in the password", "postgresql://u:hidden?1@127.0.0.1/db", "? as %3F"],
    ["a ? at the beginning of the password", "postgresql://u:?hidden@127.0.0.1/db", "? as %3F"],
    ["a ? and a = in the password", "postgresql://u:12?hidden=1@127.0.0.1/db", "as %3F"],
    ["a # in the password", "postgresql://u:hidden#1@127.0.0.1/db", "as %23"],
    ["a # at the beginning of the password", "postgresql://u:#hidden@127.0.0.1/db", "as %23"],
    ["two @", "postgresql://u:hid@den@127.0.0.1/db", "as %40"],
    ["an & in a password of JDBC", "jdbc:postgresql://h/db?user=u&password=a&hidden", "%26"],
    ["no host", "postgresql:///db?password=hidden", "it has no host"],
    ["no host in keywords", "user=u password=hidden", "it has no host"],
    ["a port that does not exist", "postgresql://u:hidden@h:70000/db", "1 and 65535"],
    ["an unknown sslmode", "postgresql://u:hidden@h/db?sslmode=hidden", "sslmode has a value"],
    ["a number with a unit", "postgresql://u:hidden@h/db?connect_timeout=10s", "connect_timeout has"],
    ["another program's scheme", "mysql://u:hidden@h/db", "postgresql://"],
    ["a proxy of Prisma", "prisma+postgres://accelerate.example/?api_key=hidden", "direct connection"],
    ["quotes around it", '"postgresql://u:hidden@h/db"', "Remove the quotes"],
    ["a line of an env file", "DATABASE_URL=postgresql://u:hidden@h/db", "only the value"],
    ["an open quote", "host=h password='hidden", "single quotes"],
    ["a word without a value", "host=h hidden", "cannot be read"],
    ["pairs with an open quote", 'Host=h;Password="hidden', "double quotes"],
    ["other text", "hidden", "neither the form of a URI"],
  ])("has %s: the error says so, and repeats nothing of it", async (_, text, part) => {
    const { status, stdout, stderr } = await importFrom(text);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("The variable X is not a Postgres connection string: ");
    expect(stderr).toContain("usage:invalid");
    expect(stderr).toContain(part);
    expect(stderr).not.toMatch(/hid|den/);
  });
});

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

describe("a connection string in the wrong place of a command line", () => {
  const strings = [
    "postgresql://u:hidden@h.example/db",
    "jdbc:postgresql://h/db?user=u&password=hidden",
    "host=h password='hidden'",
    "Host=h;Password=hidden",
  ];

  it.each([
    ["db import db_1 --source-env", 2, "--source-env OLD_DATABASE_URL"],
    ["db import db_1 --source-file", 2, "cannot read"],
    ["db import db_1 --source", 2, "nknown option"],
    ["db restore db_1 --file", 2, "cannot read"],
    ["apply --file", 2, "cannot be read"],
    ["env --name", 2, "--name cannot be"],
    ["db", 2, "Unknown command"],
    ["db copy one two", 2, "does not accept"],
  ])("is not repeated in an error: mgmt %s", async (line, status, part) => {
    const env = { MGMT_BASE_URL: "http://127.0.0.1:9", MGMT_TOKEN: "token" };
    for (const text of strings) {
      const result = await runInProcess([...line.split(" "), text], { env });
      expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(part)]);
      expect(result.stderr).not.toContain("hidden");
    }
  });

  it("is not repeated in a hint or a command either", () => {
    const [text = ""] = strings;
    const failure = {
      exitCode: 6,
      code: "name:not_found",
      message: `No database has the id or name ${JSON.stringify(text)}`,
      hint: `Run mgmt databases get ${text}.`,
      next: [["mgmt", "databases", "get", text]],
    };
    expect(redactConnectionStrings(failure, ["psql", text])).toEqual({
      ...failure,
      message: 'No database has the id or name "…"',
      hint: "Run mgmt databases get ….",
      next: [["mgmt", "databases", "get", "…"]],
    });
    expect(redactConnectionStrings(failure, ["psql", "shop"])).toBe(failure);
  });
});
