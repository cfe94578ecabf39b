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

  it.each([
    ["DATABASE_URI", ["DATABASE_URL"]],
    ["database_url", ["DATABASE_URL"]],
    ["CREATEDAT", ["createdAt"]],
    ["database", ["DATABASE_URL"]],
  ])("ignores the case of letters for %j: %j", (word, expected) => {
    expect(findSimilar(word, ["DATABASE_URL", "createdAt"])).toEqual(expected);
  });
});
