import document from "@mgmt/sdk/openapi.json";
import { describe, expect, it } from "vitest";
import { groups } from "./generated/groups.js";
import { printedResults } from "../commands/schema/generated/printed-schemas.js";
import { detailFields, listColumns } from "../output/columns.js";
import { groupOverrides, commandOverrides } from "./command-override.js";
import type { Schema } from "./command-definition.js";

const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();

describe("the command table", () => {
  it("has one command for every operation of the contract", () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation: { operationId?: string }) => operation.operationId ?? []),
    );
    expect(definitions.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(new Set(definitions.map(({ words }) => words.join(" "))).size).toBe(definitions.length);
  });

  it("writes names in kebab-case", () => {
    for (const { words } of definitions) for (const word of words) expect(word).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  it("has no flag that hides another one or a global one", () => {
    const taken = [
      "output",
      "base-url",
      "token-file",
      "token",
      "yes",
      "help",
      "body",
      "unset",
      "all",
      "wait",
      "wait-approval",
      "timeout",
      "profile",
      "fields",
      "query",
      "pager",
      "show-secrets",
      "github-env",
      "github-output",
      "gitlab-dotenv",
      "secret-file",
      "if-not-exists",
    ];
    for (const { id, query, body } of definitions) {
      const flags = [...query, ...(body?.fields ?? [])].map(({ flag }) => flag);
      expect({ id, flags: new Set(flags).size }).toEqual({ id, flags: flags.length });
      expect({ id, taken: flags.filter((flag) => taken.includes(flag)) }).toEqual({ id, taken: [] });
      expect({ id, negated: flags.filter((flag) => flag.startsWith("no-")) }).toEqual({ id, negated: [] });
    }
  });

  it("explains every flag and every argument", () => {
    for (const { id, query, body, arguments: ids } of definitions) {
      for (const { flag, help } of [...query, ...(body?.fields ?? [])]) {
        expect({ id, flag, help }).toEqual({ id, flag, help: expect.stringMatching(/\S/) });
      }
      for (const { help } of ids) expect(help).toMatch(/\S/);
    }
  });

  it("reads secrets from files only", () => {
    const secrets = definitions.flatMap(({ body }) => body?.fields.filter(({ secret }) => secret) ?? []);
    expect(secrets.map(({ flag }) => flag)).toEqual(["recipient-access-token"]);
  });

  it("allows the values of any branch of a union, and requires what all branches require", () => {
    const fields = definitions.find(({ id }) => id === "databases.create")?.body?.fields ?? [];
    expect(fields.filter(({ path }) => path[0] === "source")).toEqual([
      expect.objectContaining({
        flag: "source-type",
        required: "with-parent",
        enum: ["empty", "backup", "database"],
      }),
      expect.not.objectContaining({ required: expect.anything() }),
      expect.not.objectContaining({ required: expect.anything() }),
    ]);
  });

  it("names the replacement of every deprecated operation", () => {
    const replaced = definitions.flatMap(({ words, deprecated }) =>
      deprecated ? [[words[0], deprecated.replacedBy[0]]] : [],
    );
    expect(replaced).toEqual(Array(8).fill(["apps", "services"]));
  });
});

describe("the overrides", () => {
  it("refers to existing fields", () => {
    for (const [id, { argument }] of Object.entries(commandOverrides)) {
      const definition = definitions.find((each) => each.id === id);
      expect(definition).toBeDefined();
      if (argument === undefined) continue;
      expect(definition?.body?.fields.map(({ path }) => path.join("."))).toContain(argument);
    }
  });

  it("describes every group, and no other", () => {
    expect(Object.keys(groupOverrides).sort()).toEqual(groups.map(({ name }) => name).sort());
  });

  it("has columns for existing fields", () => {
    /** Where a field is: in the resource, or in the credentials that its command adds to it. */
    const placeOf = (schema: string, path: string): [schema: string | undefined, path: string[]] => {
      const [first, ...rest] = path.split(".");
      const rule = definitions.find(({ resource }) => resource === schema)?.credentials;
      if (first !== rule?.property || !rule) return [schema, path.split(".")];
      return [definitions.find(({ id }) => id === rule.operation)?.resource, rest];
    };
    // Results of hand-written commands, which the contract does not describe.
    const results: Readonly<Record<string, Schema>> = {
      LinkResult: printedResults.link,
      EnvResult: printedResults.env,
      DumpResult: printedResults["db dump"],
      RestoreResult: printedResults["db restore"],
      CopyResult: printedResults["db copy"],
      ConnectionStringResult: printedResults["connection-string"],
    };
    for (const [schema, columns] of Object.entries({ ...listColumns, ...detailFields })) {
      for (const { path } of columns) {
        const [holder, place] = placeOf(schema, path);
        expect({
          schema,
          path,
          found: hasPath(results[schema] ?? { $ref: `#/components/schemas/${String(holder)}` }, place),
        }).toEqual({
          schema,
          path,
          found: true,
        });
      }
    }
  });

  it("starts every table of resources with the id", () => {
    // The usage of a database is no resource.
    const { Usage: _usage, ...ofResources } = listColumns;
    for (const columns of Object.values(ofResources)) expect(columns[0]).toEqual({ title: "id", path: "id" });
  });
});

/** Whether a schema, or one of its parts, has a value at the path. */
const hasPath = (schema: Schema, [name, ...rest]: string[]): boolean => {
  if (name === undefined) return true;
  if (schema.$ref !== undefined) {
    // References of the bundled document name its own schemas.
    const schemas = document.components.schemas as unknown as Record<string, Schema>;
    return hasPath(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, [name, ...rest]);
  }
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const next = /^\d+$/.test(name) ? schema.items : schema.properties?.[name];
  return (next !== undefined && hasPath(next, rest)) || parts.some((part) => hasPath(part, [name, ...rest]));
};
