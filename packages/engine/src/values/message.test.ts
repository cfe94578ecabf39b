import { expect, it } from "vitest";
import { RequestError } from "./request-error.js";
import { getHeader, hasContentEncoding, encodeFirstHalf, toErrorOutcome } from "./message.js";

const requestWith = (headers: Parameters<typeof hasContentEncoding>[0]) => ({
  method: "GET",
  path: "/",
  headers,
});

it.each([
  [undefined, undefined],
  ["a", "a"],
  [["a", "b"], "a"],
  [[], undefined],
])("getHeader returns the first value of %j", (value, expected) => {
  expect(getHeader(requestWith({ origin: value }), "origin")).toBe(expected);
});

it.each([
  [undefined, false],
  ["", false],
  [" Identity ", false],
  ["gzip", true],
  ["identity, gzip", true],
  [["br"], true],
])("hasContentEncoding says of %j: %s", (value, expected) => {
  expect(hasContentEncoding({ "content-encoding": value })).toBe(expected);
});

it.each([
  ["abcd", "ab"],
  ["abc", "a"],
  ["", ""],
  ["éé", "é"],
])("encodeFirstHalf of %j is %j, in bytes", (body, half) => {
  expect(new TextDecoder().decode(encodeFirstHalf(body))).toBe(half);
});

it("toErrorOutcome leaves a hint out that the error does not have", () => {
  const errorWith = (hint: string | undefined) =>
    new RequestError({
      ...{ status: 409, code: "a:b", message: "No", ...(hint !== undefined && { hint }) },
      extra: { id: "x" },
      headers: { "retry-after": "1" },
    });
  expect(toErrorOutcome(errorWith(undefined))).toEqual({
    ...{ status: 409, code: "a:b", headers: { "retry-after": "1" } },
    body: { error: { code: "a:b", message: "No", id: "x" } },
  });
  expect(toErrorOutcome(errorWith("Try")).body).toMatchObject({
    error: { hint: "Try" },
  });
});
