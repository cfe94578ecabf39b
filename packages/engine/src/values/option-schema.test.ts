import { describe, expect, it } from "vitest";
import { type OptionSchema, assertOptions } from "./option-schema.js";

const check = (value: unknown, schema: OptionSchema) => () =>
  assertOptions({ a: value }, { a: schema }, "of.");

describe("an option", () => {
  it.each<[OptionSchema, unknown]>([
    [{}, null],
    [{ anyOf: [{ type: "string" }] }, 5],
    [{ enum: ["x", "y"] }, "y"],
    [{ type: "string" }, ""],
    [{ type: "string", pattern: "^a+$" }, "aa"],
    [{ type: "integer", minimum: 0 }, 0],
    [{ type: "integer", maximum: 3 }, 3],
    [{ type: "number", exclusiveMinimum: 0, maximum: 1 }, 0.5],
    [{ type: "number" }, -1.5],
    [{ type: "boolean" }, false],
    [{ type: "function" }, () => undefined],
    [{ type: "object" }, {}],
  ])("with the schema %j may be %j", (schema, value) => {
    expect(check(value, schema)).not.toThrow();
  });

  it.each<[OptionSchema, unknown, string]>([
    [{ enum: ["x", "y"] }, "z", "one of x, y"],
    [{ type: "string" }, 5, "a string"],
    [{ type: "string", pattern: "^a+$", title: "a row of a" }, "ab", "a row of a"],
    [{ type: "integer", minimum: 0 }, -1, "a whole number, at least 0"],
    [{ type: "integer" }, 1.5, "a whole number"],
    [{ type: "integer" }, "1", "a whole number"],
    [{ type: "integer", maximum: 3 }, 4, "a whole number, at most 3"],
    [{ type: "number", exclusiveMinimum: 0, maximum: 1 }, 0, "a number, above 0 and at most 1"],
    [{ type: "number" }, NaN, "a number"],
    [{ type: "boolean" }, "true", "true or false"],
    [{ type: "function" }, {}, "a function"],
    [{ type: "object" }, null, "an object"],
    [{ type: "object" }, [], "an object"],
    [{ type: "string" }, null, "a string"],
  ])("with the schema %j must not be %j: %s", (schema, value, requirement) => {
    expect(check(value, schema)).toThrow(new TypeError(`of.a must be ${requirement}`));
  });

  it("may be left out, or undefined, only if its name ends in a question mark", () => {
    const text: OptionSchema = { type: "string" };
    for (const options of [{}, { a: undefined }]) {
      expect(() => assertOptions(options, { "a?": text })).not.toThrow();
      expect(() => assertOptions(options, { a: text })).toThrow("a must be a string");
    }
    expect(() => assertOptions({ b: 1 }, { "a?": text }, "of.")).toThrow("of.b");
  });

  it.each([null, 5, "a", undefined])("cannot be in %j", (options) => {
    expect(() => assertOptions(options, { "a?": {} })).toThrow(TypeError);
  });
});
