import { describe, expect, it } from "vitest";
import {
  getOneOf,
  getOptionalNumber,
  getOptionalString,
  getOptionalStrings,
  getOptionalVariables,
  getString,
  omitUndefined,
  parseFields,
} from "./fields.js";

const rejectionOf = (read: () => unknown): string => {
  try {
    return `accepted ${JSON.stringify(read())}`;
  } catch (error) {
    return String(error);
  }
};

describe("the body of a control request", () => {
  it("may be absent, and has no more levels than a snapshot", () => {
    const nested = (levels: number) =>
      new TextEncoder().encode(`{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`);
    expect(parseFields(undefined)).toEqual({});
    expect(Object.keys(parseFields(nested(127)))).toEqual(["a"]);
    expect(rejectionOf(() => parseFields(nested(128)))).toContain("nested more than 128 levels deep");
  });

  it.each([
    ["", "The body is not JSON"],
    ["{", "The body is not JSON"],
    ["[]", "The body is not a JSON object"],
    ["null", "The body is not a JSON object"],
    ['"a"', "The body is not a JSON object"],
  ])("is refused if it is %j", (text, message) => {
    expect(rejectionOf(() => parseFields(new TextEncoder().encode(text)))).toContain(message);
  });

  it("is refused if it is not UTF-8", () => {
    expect(rejectionOf(() => parseFields(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)))).toContain(
      "not JSON",
    );
  });
});

describe("a field", () => {
  it.each<[string, () => unknown, unknown]>([
    ["text", () => getString({ a: "" }, "a"), ""],
    ["nothing", () => getOptionalString({}, "a"), undefined],
    ["no texts", () => getOptionalStrings({}, "a"), undefined],
    ["texts", () => getOptionalStrings({ a: [] }, "a"), []],
    ["no variables", () => getOptionalVariables({}, "a"), undefined],
    ["variables", () => getOptionalVariables({ a: { PORT: "" } }, "a"), { PORT: "" }],
    ["no number", () => getOptionalNumber({}, "a"), undefined],
    ["null as a number", () => getOptionalNumber({ a: null }, "a"), undefined],
    ["zero", () => getOptionalNumber({ a: 0 }, "a"), 0],
    ["a choice", () => getOneOf({ a: "x" }, "a", ["y", "x"]), "x"],
    [
      "defined values",
      () => omitUndefined<{ a: unknown; b: unknown }>({ a: undefined, b: null }),
      { b: null },
    ],
  ])("may be %s", (_name, read, value) => {
    expect(read()).toEqual(value);
  });

  it.each<[string, () => unknown, string]>([
    ["nothing", () => getString({}, "a"), "a must be a string"],
    ["null as text", () => getOptionalString({ a: null }, "a"), "a must be a string"],
    [
      "a string instead of an array",
      () => getOptionalStrings({ a: "x" }, "a"),
      "a must be an array of strings",
    ],
    ["another item", () => getOptionalStrings({ a: ["x", 1] }, "a"), "a must be an array of strings"],
    ["null as variables", () => getOptionalVariables({ a: null }, "a"), "a must be an object of strings"],
    [
      "an array as variables",
      () => getOptionalVariables({ a: ["x"] }, "a"),
      "a must be an object of strings",
    ],
    [
      "another variable",
      () => getOptionalVariables({ a: { PORT: 80 } }, "a"),
      "a must be an object of strings",
    ],
    ["text as a number", () => getOptionalNumber({ a: "1" }, "a"), "a must be a number"],
    ["an endless number", () => getOptionalNumber({ a: Infinity }, "a"), "a must be a number"],
    ["another choice", () => getOneOf({ a: "z" }, "a", ["x", "y"]), "a must be one of x, y"],
    ["no choice", () => getOneOf({}, "a", ["x"]), "a must be one of x"],
  ])("is refused if it is %s", (_name, read, message) => {
    expect(rejectionOf(read)).toBe(`ControlError: ${message}`);
  });
});
