import { describe, expect, it } from "vitest";
import {
  ConnectionError,
  InvalidArgumentError,
  TimeoutError,
  describeInnermostCause,
  removeQuery,
} from "./local-errors.js";

const request = { method: "GET", url: "https://a.test/v1/me?email=ada\n&x#y" };

describe("an error that is no response", () => {
  it("shows the address without its query", () => {
    const error = new ConnectionError(request, "failed", { reason: "ECONNRESET", hint: "Wait." });
    expect({ ...error, message: error.message }).toEqual({
      ...{ code: "connection:failed", advice: "check_base_url", hint: "Wait.", reason: "ECONNRESET" },
      ...{ method: "GET", url: "https://a.test/v1/me", message: "GET https://a.test/v1/me failed" },
    });
    expect(removeQuery("https://a.test/v1/me")).toBe("https://a.test/v1/me");
  });

  it("has its problem as the reason if the transport gave none", () => {
    expect(new ConnectionError(request, "failed").reason).toBe("failed");
  });

  it("names the timeout that has passed", () => {
    const error = new TimeoutError(request, 50);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: "connection:timeout", reason: "timeout", timeoutMs: 50 });
    expect(error.message).toBe("GET https://a.test/v1/me got no complete response within 50 ms");
  });

  it("names the argument, and its problem apart", () => {
    const cause = new Error("parser");
    const error = new InvalidArgumentError("path", "is empty", { cause });
    expect(error).toMatchObject({ argument: "path", problem: "is empty", message: "path is empty", cause });
    expect(error).toMatchObject({
      code: "argument:invalid",
      advice: "fix_argument",
      hint: expect.stringContaining("Fix"),
    });
    expect(new InvalidArgumentError("path", "is empty", { hint: "Set it." }).hint).toBe("Set it.");
  });
});

it.each([
  [Object.assign(new Error("refused"), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
  [new TypeError("fetch failed", { cause: Object.assign(new Error("a"), { code: "EPIPE" }) }), "EPIPE"],
  [new TypeError("fetch failed", { cause: new Error("inner") }), "inner"],
  [new TypeError("fetch failed", { cause: "text" }), "fetch failed"],
  [Object.assign(new Error("numbered"), { code: 5 }), "numbered"],
  ["text", "unknown reason"],
  [undefined, "unknown reason"],
])("finds the innermost reason of %s: %s", (error, reason) => {
  expect(describeInnermostCause(error)).toBe(reason);
});
