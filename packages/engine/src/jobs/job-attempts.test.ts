import { describe, expect, it } from "vitest";
import { describeError } from "./job-attempts.js";

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
