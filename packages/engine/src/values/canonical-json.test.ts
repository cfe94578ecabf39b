import { describe, expect, it } from "vitest";
import { toCanonicalJson } from "./canonical-json.js";

describe("canonical JSON", () => {
  it.each<[value: unknown, json: string]>([
    [{ b: 1, a: { d: null, c: "x" } }, '{"a":{"c":"x","d":null},"b":1}'],
    [[{ b: 1, a: 2 }, [3, 1, 2]], '[{"a":2,"b":1},[3,1,2]]'],
    [{ b: undefined, B: 1, a: 2 }, '{"B":1,"a":2}'],
    [null, "null"],
    ["text", '"text"'],
  ])("of %j has sorted keys, and arrays in their order", (value, json) => {
    expect(toCanonicalJson(value)).toBe(json);
  });
});
