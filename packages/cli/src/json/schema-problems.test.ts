import { describe, expect, it } from "vitest";
import { findSchemaProblems } from "./schema-problems.js";

const text = { type: "string", minLength: 1, maxLength: 3 };
const alternative = (type: string, more: object = {}) => ({
  type: "object",
  required: ["type"],
  properties: { type: { const: type }, ...more },
  additionalProperties: false,
});
const schema = {
  type: "object",
  required: ["name"],
  properties: {
    name: text,
    region: { type: ["string", "null"], enum: ["us-east-1", "eu-central-1", null] },
    count: { type: "integer", minimum: 1, maximum: 9 },
    isDefault: { const: true },
    key: { type: "string", pattern: "^[a-z]+$", patternErrorMessage: "must have only letters" },
    source: { oneOf: [alternative("empty"), alternative("backup", { id: text })] },
    value: { anyOf: [{ type: "string" }, { type: "number", maximum: 9 }] },
    labels: { type: "object", propertyNames: { pattern: "^[a-z]$" }, additionalProperties: text },
  },
  additionalProperties: false,
};

describe("a value", () => {
  it.each([
    { name: "abc" },
    { name: "🎉🎉🎉", region: null, count: 9, isDefault: true, key: "a", value: 9 },
    { name: "a", source: { type: "backup", id: "b" }, labels: { a: "1" } },
  ])("has no problems: %j", (value) => {
    expect(findSchemaProblems(schema, value)).toEqual([]);
  });

  it.each([
    [[], "", "must be an object, not a list"],
    [null, "", "must be an object, but has no value"],
    [{}, "", "must have name"],
    [{ name: 5 }, "name", "must be a string, not a number"],
    [{ name: "" }, "name", "must not be empty"],
    [{ name: "🎉🎉🎉🎉" }, "name", "must have at most 3 characters"],
    [{ name: null }, "name", "must be a string, but has no value"],
    [
      { region: "eu-central-2" },
      "region",
      "must be one of: us-east-1, eu-central-1, . Did you mean eu-central-1?",
    ],
    [{ count: 1.5 }, "count", "must be a whole number, not a number"],
    [{ count: 2 ** 53 }, "count", "must be a whole number, not a number"],
    [{ count: 0 }, "count", "must be at least 1"],
    [{ count: 10 }, "count", "must be at most 9"],
    [{ isDefault: "yes" }, "isDefault", "must be true"],
    [{ key: "A" }, "key", "must have only letters"],
    [{ nmae: "a" }, "nmae", "is not known here. Did you mean name? Allowed: name, region, "],
    [JSON.parse('{"__proto__":1}'), "__proto__", "is not known here. Allowed: name"],
    [{ constructor: 1 }, "constructor", "is not known here. Allowed: name"],
    [{ source: "empty" }, "source", "must have a type, one of: empty, backup"],
    [{ source: {} }, "source", "must have a type, one of: empty, backup"],
    [{ source: { type: "bakcup" } }, "source.type", "must be one of: empty, backup. Did you mean backup?"],
    [{ source: { type: "backup", di: "b" } }, "source.di", "is not known here. Allowed: type, id"],
    [{ source: { type: "backup", id: "" } }, "source.id", "must not be empty"],
    [{ value: 10 }, "value", "must be at most 9"],
    [{ labels: { ab: "1" } }, "labels.ab", "as a key must match ^[a-z]$"],
    [{ labels: { a: 1 } }, "labels.a", "must be a string, not a number"],
  ])("has a problem with its path: %j", (value, path, message) => {
    const problems = findSchemaProblems(schema, value).map(
      (problem) => `${problem.path.join(".")}: ${problem.message}`,
    );
    expect(problems).toContainEqual(expect.stringContaining(`${path}: ${message}`));
  });

  it("has all of its problems", () => {
    expect(findSchemaProblems(schema, { count: 0, region: 1 }, ["body"]).map(({ path }) => path)).toEqual([
      ["body"],
      ["body", "count"],
      ["body", "region"],
    ]);
  });
});
