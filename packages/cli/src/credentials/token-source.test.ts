import { expect, it } from "vitest";
import { parseJwtExpiry } from "./token-source.js";

const tokenWith = (payload: string): string => `e30.${Buffer.from(payload).toString("base64url")}.x`;

it("reads when a token expires", () => {
  expect(parseJwtExpiry(tokenWith('{"exp":1800000000}'))).toBe(1_800_000_000_000);
});

it.each([
  '{"exp":1e300}',
  '{"exp":1e13}',
  '{"exp":-1e13}',
  '{"exp":"1800000000"}',
  '{"exp":null}',
  "[]",
  "{",
])("finds no time that can be printed in a token with %s", (payload) => {
  expect(parseJwtExpiry(tokenWith(payload))).toBeUndefined();
});
