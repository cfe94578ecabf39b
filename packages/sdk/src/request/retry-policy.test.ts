import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConnectionError, isUnsent } from "@mgmt/sdk";
import { canRetry, computePauseMs, readRetryAfter } from "./retry-policy.js";

const response = (status: number, retryAfter?: string) => ({
  status,
  headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
  body: "",
});
const failure = (reason: string) =>
  new ConnectionError({ method: "GET", url: "https://a.test/" }, "failed", { reason });

describe("a connection that failed", () => {
  it.each([
    "ECONNREFUSED",
    "ConnectionRefused",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ENETUNREACH",
    "EHOSTUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
    "PROXY_REFUSED",
  ])("sent nothing: %s", (reason) => {
    expect(isUnsent(failure(reason))).toBe(true);
    expect(canRetry("POST", failure(reason))).toBe(true);
  });

  it.each([
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "CERT_HAS_EXPIRED",
    "ERR_TLS_CERT_ALTNAME_INVALID",
  ])("sent nothing and would not the next time either: %s", (reason) => {
    expect(isUnsent(failure(reason))).toBe(true);
    expect(canRetry("POST", failure(reason))).toBe(false);
    expect(canRetry("GET", failure(reason))).toBe(false);
  });

  it.each(["ECONNRESET", "xECONNREFUSED", "ECONNREFUSEDx", "EPIPE", "closed before ENOTFOUND"])(
    "may have sent the request: %s",
    (reason) => {
      expect(isUnsent(failure(reason))).toBe(false);
      expect(canRetry("POST", failure(reason))).toBe(false);
      expect(canRetry("GET", failure(reason))).toBe(true);
    },
  );
});

describe("a response", () => {
  it.each([408, 429, 502, 503, 504])("of %s may be followed by the same request", (status) => {
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"]) {
      expect(canRetry(method, response(status))).toBe(true);
    }
    for (const method of ["POST", "get", "patch"]) {
      expect(canRetry(method, response(status))).toBe(status === 429);
      expect(canRetry(method, response(status, "1"))).toBe(status === 429 || status === 503);
    }
  });

  it.each(["-1", "soon 1", "2026-01-01"])("of 503 with Retry-After %j may have been processed", (value) => {
    expect(canRetry("POST", response(503, value))).toBe(false);
    expect(canRetry("GET", response(503, value))).toBe(true);
  });

  it.each([200, 400, 401, 403, 404, 409, 422, 500, 501])("of %s is final", (status) => {
    expect(canRetry("GET", response(status))).toBe(false);
    expect(canRetry("GET", response(status, "1"))).toBe(false);
  });
});

describe("Retry-After", () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it.each([
    ["0", 0],
    ["7", 7],
    ["120", 120],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30],
    ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
    ["Thursday, 01-Jan-26 00:00:30 GMT", 30],
    ["Saturday, 01-Jan-77 00:00:00 GMT", 0],
    ["Friday, 01-Jan-77 00:00:00 GMT", undefined],
    ["Tuesday, 01-Jan-75 00:00:00 GMT", 1_546_300_800],
    ["Thu Jan  1 00:00:30 2026", 30],
    ["Sun Jan 11 00:00:00 2026", 864_000],
    ["1.5", 2],
    ["0.001", 1],
    ["2 ", 2],
    ["\t2", 2],
    ["2, 2", 2],
    ["2,20 ", 20],
    ["30, Thu, 01 Jan 2026 00:00:10 GMT", 30],
    ["Thu, 01 Jan 2026 00:00:30 GMT, Thu, 01 Jan 2026 00:00:10 GMT", 30],
    ["99999999999999999999", 1e20],
    ["soon", undefined],
    ["soon 1", undefined],
    ["2, soon", undefined],
    ["", undefined],
    [" ", undefined],
    [",", undefined],
    ["-1", undefined],
    ["+1", undefined],
    ["1.", undefined],
    [".5", undefined],
    ["1e1", undefined],
    ["0x10", undefined],
    ["1 2", undefined],
    ["Infinity", undefined],
    ["Invalid Date", undefined],
    ["2026", 2026],
    ["2026-01-01", undefined],
    ["2026-01-01T00:00:30Z", undefined],
    ["Fri, 01 Jan 2026 00:00:30 GMT", undefined],
    ["Thu, 1 Jan 2026 00:00:30 GMT", undefined],
    ["Thu, 01 Jan 2026 00:00:30 +0100", undefined],
    ["Thu, 01 Jan 2026 24:00:00 GMT", undefined],
    ["Sat, 31 Feb 2026 00:00:30 GMT", undefined],
    ["01 Jan 2026 00:00:30 GMT", undefined],
  ])("reads %j as %j seconds", (value, seconds) => {
    expect(readRetryAfter(response(429, value))).toBe(seconds);
  });

  it("rounds up to whole seconds", () => {
    vi.setSystemTime(Date.UTC(2026, 0, 1) + 1);
    expect(readRetryAfter(response(429, "Thu, 01 Jan 2026 00:00:30 GMT"))).toBe(30);
  });

  it("comes before the jitter, up to the limit", () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    expect(computePauseMs(0, response(429, "2"), 2_000)).toBe(2_250);
    expect(computePauseMs(0, response(429, "3"), 2_000)).toBeUndefined();
    expect(computePauseMs(0, response(502), 0)).toBe(250);
    expect(computePauseMs(3, failure("ECONNRESET"), 0)).toBe(2_000);
    expect(computePauseMs(4, response(502), 0)).toBe(4_000);
    expect(computePauseMs(9, response(502), 0)).toBe(4_000);
  });
});
