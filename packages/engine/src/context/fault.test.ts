import { describe, expect, it } from "vitest";
import { type Fault, type FaultTarget, assertFault, isExhausted, strikeFault } from "./fault.js";

const strikes = (fault: Fault, target: FaultTarget = "me.get", draw = 0, skipped = 0) => {
  const counts = { struck: 0, skipped };
  return [strikeFault(fault, counts, target, () => draw), counts.struck, counts.skipped];
};

describe("a fault", () => {
  it.each<[Fault, FaultTarget, boolean]>([
    [{}, "me.get", true],
    [{}, "oauth.token", false],
    [{ operation: "oauth.token" }, "oauth.token", true],
    [{ operation: "oauth.token" }, "me.get", false],
    [{ operation: ["projects.get", "me.get"] }, "me.get", true],
    [{ operation: [] }, "me.get", false],
  ])("%j applies to a request for %s: %s", (fault, target, isStruck) => {
    expect(strikes(fault, target)).toEqual([isStruck, isStruck ? 1 : 0, 0]);
  });

  it.each([
    [{ probability: 0.5 }, 0.5, 0, [false, 0, 0]],
    [{ probability: 0.5 }, 0.49, 0, [true, 1, 0]],
    [{ probability: 0 }, 0, 0, [false, 0, 0]],
    [{ skip: 2 }, 0, 1, [false, 0, 2]],
    [{ skip: 2 }, 0, 2, [true, 1, 2]],
    [{ skip: 1, probability: 0.5 }, 0.9, 0, [false, 0, 0]],
  ])("%j counts a draw of %d after %d passed", (fault, draw, skipped, expected) => {
    expect(strikes(fault, "me.get", draw, skipped)).toEqual(expected);
  });

  it.each([
    [undefined, 9, false],
    [2, 1, false],
    [2, 2, true],
  ])("for %s requests is exhausted after %d: %s", (times, struck, expected) => {
    expect(isExhausted({ times }, { struck, skipped: 0 })).toBe(expected);
  });

  it.each<[Fault, string | undefined]>([
    [{ status: 399 }, "with a body"],
    [{ status: 399, body: "" }, undefined],
    [{ status: 400 }, undefined],
    [{ status: 205, body: "a" }, "such a response has no body"],
    [{ status: 304, body: "a" }, "such a response has no body"],
    [{ latency: 0 }, undefined],
    [{ latency: 2_147_483_648 }, "latency must be"],
    [{ body: "a" }, "must have a status, a drop or a latency"],
    [{ drop: "after", operation: ["oauth.jwks", "me.get"] }, undefined],
    [
      { drop: "after", operation: ["me.get", "constructor"] as never },
      "The operation constructor does not exist",
    ],
    [{ drop: "after", operation: "oauth.none" as never }, "The operation oauth.none does not exist"],
  ])("%j is refused with %s", (fault, problem) => {
    if (problem === undefined) expect(() => assertFault(fault)).not.toThrow();
    else expect(() => assertFault(fault)).toThrow(problem);
  });
});
