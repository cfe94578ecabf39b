import { expect, it } from "vitest";
import { countTypingErrors } from "./typing-errors.js";

it.each([
  ["", "", 0],
  ["list", "list", 0],
  ["", "abc", 3],
  ["lst", "list", 1],
  ["liist", "list", 1],
  ["lost", "list", 1],
  ["lsit", "list", 1],
  ["ab", "ba", 1],
  // No swap, although one letter is that beside the other.
  ["xb", "by", 2],
  ["bx", "yb", 2],
  ["ca", "abc", 3],
  ["kitten", "sitting", 3],
])("%j and %j differ by %i typing errors, in both directions", (left, right, count) => {
  expect([countTypingErrors(left, right), countTypingErrors(right, left)]).toEqual([count, count]);
});
