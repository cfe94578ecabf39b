import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Credential } from "@mgmt/sdk/auth";
import { isCredential, isUnexpired, computeRenewalUrgency } from "./credential.js";

const now = Date.UTC(2026, 10, 28);
beforeEach(() => void vi.useFakeTimers({ now }));
afterEach(() => void vi.useRealTimers());

const credential: Credential = {
  accessToken: "access",
  scopes: [],
  issuer: "https://auth.test",
  clientId: "client",
};

describe("isCredential", () => {
  it.each([
    {},
    { refreshToken: "refresh", issuedAt: 0, expiresAt: 1, scopes: ["a"], more: true },
    { refreshToken: undefined, issuedAt: undefined, expiresAt: undefined },
  ])("accepts one with %j", (fields) => {
    expect(isCredential({ ...credential, ...fields })).toBe(true);
  });

  it.each([
    { accessToken: "" },
    { accessToken: undefined },
    { refreshToken: "" },
    { refreshToken: null },
    { issuedAt: "0" },
    { issuedAt: Infinity },
    { expiresAt: null },
    { expiresAt: NaN },
    { scopes: "a" },
    { scopes: [""] },
    { scopes: ["a", 1] },
    { issuer: "" },
    { clientId: undefined },
  ])("refuses one with %j", (fields) => {
    expect(isCredential({ ...credential, ...fields })).toBe(false);
  });

  it.each([undefined, null, "access", []])("refuses %j", (value) => {
    expect(isCredential(value)).toBe(false);
  });
});

describe("computeRenewalUrgency", () => {
  const hour = 3_600_000;
  /** A credential whose access token expires in some milliseconds, of the lifetime. */
  const expiring = (remaining: number, lifetime: number | undefined, refreshToken?: string): Credential => ({
    ...credential,
    expiresAt: now + remaining,
    issuedAt: lifetime === undefined ? undefined : now + remaining - lifetime,
    refreshToken,
  });

  it.each([
    ["now", "no credential", undefined],
    ["none", "a token that never expires", credential],
    ["none", "a token without a refresh token, to its end", expiring(1, hour)],
    ["now", "a token without a refresh token, at its end", expiring(0, hour)],
    ["none", "two minutes left", expiring(120_000, hour, "refresh")],
    ["soon", "less than two minutes", expiring(119_999, hour, "refresh")],
    ["soon", "half a minute", expiring(30_000, hour, "refresh")],
    ["now", "less than half a minute", expiring(29_999, hour, "refresh")],
    ["none", "a quarter of a short lifetime", expiring(20_000, 80_000, "refresh")],
    ["soon", "less than a quarter of it", expiring(19_999, 80_000, "refresh")],
    ["soon", "a sixteenth of it", expiring(5_000, 80_000, "refresh")],
    ["now", "less than a sixteenth of it", expiring(4_999, 80_000, "refresh")],
    ["soon", "less than two minutes of an unknown lifetime", expiring(119_999, undefined, "refresh")],
  ])("is %s for %s", (urgency, _, value) => {
    expect(computeRenewalUrgency(value)).toBe(urgency);
  });

  it.each([
    ["now", "the token that was rejected", {}, "access"],
    ["none", "another token", {}, "other"],
    ["now", "another token that a clock ahead has issued", { issuedAt: now + 1 }, "other"],
    ["none", "one that such a clock has issued, when none was rejected", { issuedAt: now + 1 }, undefined],
  ])("after a rejection is %s for %s", (urgency, _, fields, rejected) => {
    expect(computeRenewalUrgency({ ...credential, ...fields }, rejected)).toBe(urgency);
  });
});

it.each([
  [true, undefined],
  [true, now + 1],
  [false, now],
])("isUnexpired is %s for an end at %s", (isValid, expiresAt) => {
  expect(isUnexpired({ ...credential, expiresAt })).toBe(isValid);
});
