import { describe, expect, it } from "vitest";
import { normalizeArguments, toListedSchema } from "./argument-schemas.js";
import { operationTools } from "./generated/operation-tools.js";
import type { InputSchema } from "./operation-tool.js";

const text = { type: "string", minLength: 1 };
const schema: InputSchema = {
  type: "object",
  required: ["id"],
  properties: {
    id: text,
    name: text,
    branchId: { anyOf: [text, { type: "null" }] },
    arguments: { type: "object" },
    source: { oneOf: [{ type: "object", properties: { type: { const: "empty" } } }] },
  },
};

describe("arguments", () => {
  it.each<[string, object, object]>([
    ["null for what may be left out", { id: "a", name: null }, { id: "a" }],
    ["null that means something", { id: "a", branchId: null }, { id: "a", branchId: null }],
    ["null for what is required", { id: null }, { id: null }],
    ["null for what is unknown", { id: "a", other: null }, { id: "a", other: null }],
    ["an object as text", { arguments: ' {"a":1}' }, { arguments: { a: 1 } }],
    ["an object of a union as text", { source: '{"type":"empty"}' }, { source: { type: "empty" } }],
    ["a name that looks like an object", { name: '{"a":1}' }, { name: '{"a":1}' }],
    ["an object as text with a mistake", { arguments: "{a" }, { arguments: "{a" }],
    ["a list as text", { arguments: "[1]" }, { arguments: "[1]" }],
    [
      "names of every object",
      { arguments: '{"__proto__":{"a":1}}' },
      { arguments: JSON.parse('{"__proto__":{"a":1}}') as object },
    ],
  ])("are read as their schema means them: %s", (_, args, expected) => {
    expect(normalizeArguments(schema, { ...args })).toEqual(expected);
  });
});

describe("the schema that clients see", () => {
  it("has no union in any tool, because some clients refuse them", () => {
    const listed = JSON.stringify(operationTools.map(({ inputSchema }) => toListedSchema(inputSchema)));
    expect(listed).not.toMatch(/"(?:oneOf|anyOf|allOf|\$ref|\$schema)"/);
  });

  it("has the fields of all alternatives", () => {
    const ensure = operationTools.find(({ name }) => name === "databases_ensure");
    expect(toListedSchema(ensure?.inputSchema ?? {})).toMatchObject({
      properties: {
        source: {
          type: "object",
          required: ["type"],
          properties: {
            type: { type: "string", enum: ["empty", "backup", "database"] },
            databaseId: { type: "string" },
            backupId: { type: "string" },
          },
        },
      },
    });
  });

  it.each<[object, object]>([
    [{ anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] }, { type: ["string", "null"] }],
    [
      {
        anyOf: [
          { type: "string", format: "date" },
          { type: "string", format: "date-time" },
        ],
      },
      { type: "string" },
    ],
  ])("is short: case %#", (full, listed) => expect(toListedSchema(full)).toEqual(listed));
});
