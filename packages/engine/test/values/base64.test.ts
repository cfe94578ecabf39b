import { expect, it } from "vitest";
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from "../../src/values/base64.js";

const samples = [[], [0], [255, 254], [251, 255, 191], [0, 16, 131, 16, 81, 135, 32]].map((bytes) =>
  Uint8Array.from(bytes),
);

it.each(samples)("reads what it writes", (...bytes) => {
  const sample = Uint8Array.from(bytes);
  expect(toBase64(sample)).toBe(Buffer.from(sample).toString("base64"));
  expect(toBase64Url(sample)).toBe(Buffer.from(sample).toString("base64url"));
  expect(fromBase64(toBase64(sample))).toEqual(sample);
  expect(fromBase64Url(toBase64Url(sample))).toEqual(sample);
});

it.each(["A", "AB", "AA=", "AA=A", "A A=", "AB==", "AA==\n", "-_==", "é==="])(
  "refuses %j as base64",
  (text) => {
    expect(fromBase64(text)).toBeUndefined();
  },
);

it.each(["A", "AB", "AA==", "A A", "+/8", "AAAAA", "é"])("refuses %j as base64url", (text) => {
  expect(fromBase64Url(text)).toBeUndefined();
});
