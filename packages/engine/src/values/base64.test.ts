import { expect, it } from "vitest";
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from "./base64.js";

const samples = [[], [0], [255, 254], [251, 255, 191], [0, 16, 131, 16, 81, 135, 32]].map((bytes) =>
  Uint8Array.from(bytes),
);

it.each(samples)("reads what it writes", (...bytes) => {
  const sample = Uint8Array.from(bytes);
  expect(encodeBase64(sample)).toBe(Buffer.from(sample).toString("base64"));
  expect(encodeBase64Url(sample)).toBe(Buffer.from(sample).toString("base64url"));
  expect(decodeBase64(encodeBase64(sample))).toEqual(sample);
  expect(decodeBase64Url(encodeBase64Url(sample))).toEqual(sample);
});

it.each(["A", "AB", "AA=", "AA=A", "A A=", "AB==", "AA==\n", "-_==", "é==="])(
  "refuses %j as base64",
  (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  },
);

it.each(["A", "AB", "AA==", "A A", "+/8", "AAAAA", "é"])("refuses %j as base64url", (text) => {
  expect(decodeBase64Url(text)).toBeUndefined();
});
