import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TenantStatement, tenantStatements } from "./tenant-statement.js";

const packages = fileURLToPath(new URL("../../..", import.meta.url));

/** The sources of the packages that connect to the databases of tenants, by path. */
const sources = new Map(
  ["cluster/src", "platform/src"].flatMap((folder) =>
    readdirSync(join(packages, folder), { recursive: true, withFileTypes: true })
      .filter(({ name }) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [relative(packages, path), readFileSync(path, "utf8")] as const;
      }),
  ),
);

const filesWith = (pattern: RegExp): string[] =>
  [...sources].flatMap(([path, text]) => (pattern.test(text) ? [path] : [])).toSorted();

/** A name that a tenant can choose. */
const hostile = `x"; drop table "y'; select format('`;

const quoted = /"(?:[^"]|"")*"/g;
const literals = /'(?:[^']|'')*'/g;

/** Returns the statement without what is quoted in it, but with the body of a `do` statement. */
const bare = (text: string): string => {
  const [, body] = /^do E?'([^]*)'$/.exec(text) ?? [];
  return (body === undefined ? text : body.replaceAll("''", "'").replaceAll("\\\\", "\\"))
    .replace(quoted, "name")
    .replace(literals, "text");
};

/** Returns what Postgres would look for in the schemas of the search path. */
const unqualified = (text: string): string[] => [
  ...[...text.matchAll(/(?<![.\w])(?!(?:in|exists|coalesce|array)\b)([a-z_]\w*)\s*\(/g)].map(
    ([name]) => name,
  ),
  ...[...text.matchAll(/\b(?:from|join|into|update|setof)\s+(?!pg_catalog\.)(\S+)/g)].map(([name]) => name),
  ...[...text.matchAll(/::(?!pg_catalog\.)\S+/g)].map(([name]) => name),
];

const operators = /[=<>~!@#^&|`?*/%+-]/g;

const ofTenants: [string, TenantStatement][] = [
  ["noOp", tenantStatements.noOp()],
  ["limitLocks", tenantStatements.limitLocks([hostile, hostile], 5)],
  ["reassignOwned", tenantStatements.reassignOwned(hostile, hostile)],
  ["transferRelations", tenantStatements.transferRelations([hostile, hostile], hostile, 5)],
  ["dropOwned", tenantStatements.dropOwned(hostile)],
  ["transferDatabase", tenantStatements.transferDatabase(hostile, hostile)],
  ["grantCreate", tenantStatements.grantCreate(hostile, hostile)],
  ["transferPublicSchema", tenantStatements.transferPublicSchema()],
  ["grantCreateInSchemas", tenantStatements.grantCreateInSchemas(hostile)],
];

describe("statements in the databases of tenants", () => {
  it("are all checked here", () => {
    expect(
      [...ofTenants.map(([name]) => name), "createSessionFunctions", "restrictLanguages"].toSorted(),
    ).toEqual(Object.keys(tenantStatements).toSorted());
  });

  it.each(ofTenants)("qualify every name, and use no operator: %s", (_name, { text }) => {
    const statement = bare(text);
    expect(unqualified(statement)).toEqual([]);
    expect(statement.match(operators) ?? []).toEqual([]);
    expect(statement).not.toContain("drop table");
  });

  it("qualify every name in what is created before a tenant can connect", () => {
    for (const { text } of tenantStatements.createSessionFunctions()) {
      // The arguments of the new function are no call.
      const body = bare(text).replace(/^create function pg_catalog\.\w+\([^)]*\)/, "");
      expect(unqualified(body)).toEqual([]);
      expect(text).toContain("set search_path = pg_catalog, pg_temp");
      expect(text).toContain("begin atomic");
    }
  });

  it("qualify every name in the function that tenants make Postgres call", () => {
    const [createFunction] = tenantStatements.restrictLanguages();
    const [, body = ""] = /\$\$(.*)\$\$/s.exec(createFunction?.text ?? "") ?? [];
    expect(body).toContain("pg_catalog.pg_language");
    expect(unqualified(bare(body))).toEqual([]);
    expect(createFunction?.text).toContain("set search_path = pg_catalog, pg_temp");
  });

  it.each([
    ["a function", "select format('x')"],
    ["a relation", "select from pg_class"],
    ["a joined relation", "select from pg_catalog.pg_class c join pg_roles r on true"],
    ["a type", "select 'x'::regclass"],
  ])("would be found if they did not qualify %s", (_case, text) => {
    expect(unqualified(bare(text))).not.toEqual([]);
  });

  it("are made in one file", () => {
    expect(filesWith(/new TenantStatement\(/)).toEqual(["cluster/src/policy/tenant-statement.ts"]);
    expect(sources.size).toBeGreaterThan(60);
  });

  it("run on the connections of one file, and client programs of Postgres on none", () => {
    expect(filesWith(/new (?:Client|Pool)\(/)).toEqual([
      // The only one in databases of tenants that runs statements.
      "cluster/src/connection/admin-connection.ts",
      // Runs no statement.
      "cluster/src/connection/password-check.ts",
      // The database of the platform's own statements.
      "cluster/src/connection/pool.ts",
      // The database of the records.
      "cluster/src/rows/open-records.ts",
      "cluster/src/rows/postgres-sessions.ts",
      // A database of others, with names that they cannot redefine.
      "cluster/src/rows/records-database.ts",
      // The database of the records.
      "cluster/src/rows/server-lease.ts",
      // Functions of pg_catalog alone, before anything is opened.
      "platform/src/serve/probe.ts",
      // The server of test databases, which has no tenants.
      "platform/src/tests/daemon/daemon-connection.ts",
      "platform/src/tests/daemon/open-cluster.ts",
      "platform/src/tests/server/runner-session.ts",
    ]);
    expect(filesWith(/["'/](?:psql|pg_dump|pg_dumpall|pg_restore|vacuumdb|reindexdb|createdb)["']/)).toEqual(
      [],
    );
  });

  it("have no other search path than pg_catalog", () => {
    expect(sources.get("cluster/src/connection/admin-connection.ts")).toContain(
      '"-c search_path=pg_catalog ',
    );
    expect(sources.get("cluster/src/rows/open-records.ts")).toContain('search_path: "pg_catalog"');
    expect(filesWith(/set(?: local| session)? search_path(?! = pg_catalog, pg_temp)/i)).toEqual([]);
  });
});
