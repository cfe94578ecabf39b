import { describe, expect, it } from "vitest";
import { findSimilar } from "./suggest.js";

describe("a suggestion", () => {
  it.each([
    ["projcts", ["projects"]],
    ["project", ["projects"]],
    ["lsit", ["list"]],
    ["delte", ["delete"]],
    ["data", ["databases"]],
    ["xyz", []],
    ["", []],
  ])("is made for %j: %j", (word, expected) => {
    expect(findSimilar(word, ["projects", "databases", "list", "delete", "get"])).toEqual(expected);
  });
});
