import document from "@mgmt/sdk/openapi.json";
import { describe, expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import { printedResults } from "../commands/schema/generated/printed-schemas.js";
import { detailFields, listColumns } from "./columns.js";
import type { Schema } from "../contract/generated-command.js";

const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();

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

describe("the columns of tables", () => {
  it("are of existing fields", () => {
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
      McpInstallResult: printedResults["mcp install"],
      SkillsInstallResult: printedResults["skills install"],
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

  it("start with the id in every table of resources", () => {
    // The usage of a database is no resource.
    const { Usage: _usage, ...ofResources } = listColumns;
    for (const columns of Object.values(ofResources)) expect(columns[0]).toEqual({ title: "id", path: "id" });
  });
});
