import { expect, it } from "vitest";
import { isTooDeep } from "./is-too-deep.js";

it.each([
  [false, "no object", "text", 0],
  [false, "null", null, 0],
  [true, "an object where none may be", {}, 0],
  [false, "as many levels as may be", { a: [1] }, 2],
  [true, "one level more", { a: [{}] }, 2],
  [true, "one level more in a later field", { a: 1, b: [1, [{}]] }, 3],
  [false, "null at the last level", { a: null }, 1],
])("isTooDeep is %s for %s", (isDeep, _, value, levels) => {
  expect(isTooDeep(value, levels)).toBe(isDeep);
});
