import { expect, it } from "vitest";
import { isPromiseLike, mapAwaitable } from "./awaitable.js";

it.each<[string, unknown, boolean]>([
  ["a promise", Promise.resolve(1), true],
  ["a promise of another library", { then: () => undefined }, true],
  ["an object with a field of that name", { then: "later" }, false],
  ["null", null, false],
  ["undefined", undefined, false],
  ["a string", "then", false],
])("%s may be awaited: %o", (_, value, isPromise) => {
  expect(isPromiseLike(value)).toBe(isPromise);
});

it("calls with a value at once, and with that of a promise when it resolves", async () => {
  const next = (value: number): number => value + 1;
  expect(mapAwaitable(1, next)).toBe(2);
  const result = mapAwaitable(Promise.resolve(1), next);
  expect(result).toBeInstanceOf(Promise);
  expect(await result).toBe(2);
});
