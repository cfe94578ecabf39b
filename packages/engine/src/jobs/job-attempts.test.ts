import { describe, expect, it } from "vitest";
import { computeRetryDelay, describeError, failureDelays, outageDelays } from "./job-attempts.js";

describe("computeRetryDelay", () => {
  it.for([
    { delays: failureDelays, attempts: 1, draw: 1, expected: 1_000 },
    { delays: failureDelays, attempts: 2, draw: 1, expected: 2_000 },
    { delays: failureDelays, attempts: 2, draw: 0.25, expected: 500 },
    { delays: failureDelays, attempts: 9, draw: 1, expected: 256_000 },
    { delays: failureDelays, attempts: 10, draw: 0.5, expected: 150_000 },
    { delays: failureDelays, attempts: 5_000, draw: 1, expected: 300_000 },
    { delays: outageDelays, attempts: 1, draw: 1, expected: 500 },
    { delays: outageDelays, attempts: 5_000, draw: 0.5, expected: 2_500 },
  ])("is $expected after $attempts attempts with a draw of $draw", ({ delays, attempts, draw, expected }) => {
    expect(computeRetryDelay(delays, attempts, draw)).toBe(expected);
  });
});

class PasswordError extends Error {}

const circularError = new RangeError("secret");
circularError.cause = circularError;

describe("describeError", () => {
  it.for([
    { error: new TypeError("secret"), expected: "TypeError" },
    { error: new PasswordError("secret"), expected: "PasswordError" },
    { error: Object.assign(new Error("secret"), { code: "42501" }), expected: "Error 42501" },
    { error: Object.assign(new Error("secret"), { code: "the code is secret" }), expected: "Error" },
    { error: Object.assign(new Error("secret"), { name: "a secret name" }), expected: "Error" },
    { error: Object.assign(new Error("secret"), { code: 7 }), expected: "Error" },
    {
      error: new Error("secret", { cause: Object.assign(new TypeError("secret"), { code: "E1" }) }),
      expected: "Error, caused by TypeError E1",
    },
    { error: new Error("secret", { cause: "secret" }), expected: "Error" },
    { error: circularError, expected: Array(4).fill("RangeError").join(", caused by ") },
    { error: "secret", expected: "Not an error" },
    { error: null, expected: "Not an error" },
  ])("says $expected, and no message", ({ error, expected }) => {
    expect(describeError(error)).toBe(expected);
  });
});
