import { expect, it } from "vitest";
import { computeDigest, isDigestOf, areStringsEqualInConstantTime } from "./digest.js";

it("compares texts of any lengths", () => {
  expect(areStringsEqualInConstantTime("secret", "secret")).toBe(true);
  expect(areStringsEqualInConstantTime("", "")).toBe(true);
  for (const other of ["secreT", "Secret", "secre", "secrets", "", "sécret"]) {
    expect(
      [areStringsEqualInConstantTime("secret", other), areStringsEqualInConstantTime(other, "secret")],
      other,
    ).toEqual([false, false]);
  }
});

it("recognizes a secret by its digest, which is not the secret", () => {
  expect(computeDigest("secret")).toBe("K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols");
  expect(isDigestOf(computeDigest("secret"), "secret")).toBe(true);
  for (const [expected, secret] of [
    [computeDigest("secret"), "other"],
    ["", "secret"],
    ["secret", "secret"],
  ] as const) {
    expect(isDigestOf(expected, secret)).toBe(false);
  }
});
