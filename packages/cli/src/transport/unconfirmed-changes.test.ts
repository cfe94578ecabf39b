import { describe, expect, it } from "vitest";
import { isOutcomeUnknown } from "./unconfirmed-changes.js";

describe("a response to a change", () => {
  it.each([
    [408, {}],
    [502, {}],
    [504, { "retry-after": "1" }],
    [503, {}],
    [503, { "retry-after": "" }],
    [503, { "retry-after": "-1" }],
    [503, { "retry-after": "soon" }],
  ])("leaves open what happened: %j %j", (status, headers) => {
    expect(isOutcomeUnknown(status, headers)).toBe(true);
  });

  it.each([
    [503, { "retry-after": "0" }],
    [503, { "retry-after": "2, 2" }],
    [503, { "retry-after": "Sun, 22 Nov 2026 10:00:00 GMT" }],
    [429, {}],
    [500, {}],
  ])("says what happened: %j %j", (status, headers) => {
    expect(isOutcomeUnknown(status, headers)).toBe(false);
  });
});
