import { expect, it } from "vitest";
import { groupBy } from "./group-by.js";

it("groups items by their key, in the order of the first of each", () => {
  const groups = groupBy(["ab", "c", "de", "f"], ({ length }) => length);
  expect([...groups]).toEqual([
    [2, ["ab", "de"]],
    [1, ["c", "f"]],
  ]);
  expect(groupBy([], String).size).toBe(0);
});
