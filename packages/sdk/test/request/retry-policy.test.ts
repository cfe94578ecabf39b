import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConnectionError } from "@mgmt/sdk";
import { isUnsent, mayRetry, pauseBefore, retryAfterOf } from "../../src/request/retry-policy.js";

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
    expect(mayRetry("POST", failure(reason))).toBe(true);
  });

  it.each([
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "CERT_HAS_EXPIRED",
    "ERR_TLS_CERT_ALTNAME_INVALID",
  ])("sent nothing and would not the next time either: %s", (reason) => {
    expect(isUnsent(failure(reason))).toBe(true);
    expect(mayRetry("POST", failure(reason))).toBe(false);
    expect(mayRetry("GET", failure(reason))).toBe(false);
  });

  it.each(["ECONNRESET", "xECONNREFUSED", "ECONNREFUSEDx", "EPIPE", "closed before ENOTFOUND"])(
    "may have sent the request: %s",
    (reason) => {
      expect(isUnsent(failure(reason))).toBe(false);
      expect(mayRetry("POST", failure(reason))).toBe(false);
      expect(mayRetry("GET", failure(reason))).toBe(true);
    },
  );
});

describe("a response", () => {
  it.each([408, 429, 502, 503, 504])("of %s may be followed by the same request", (status) => {
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"]) {
      expect(mayRetry(method, response(status))).toBe(true);
    }
    for (const method of ["POST", "get", "patch"]) {
      expect(mayRetry(method, response(status))).toBe(status === 429);
      expect(mayRetry(method, response(status, "1"))).toBe(status === 429 || status === 503);
    }
  });

  it.each([200, 400, 401, 403, 404, 409, 422, 500, 501])("of %s is final", (status) => {
    expect(mayRetry("GET", response(status))).toBe(false);
    expect(mayRetry("GET", response(status, "1"))).toBe(false);
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
    ["soon", undefined],
    ["", undefined],
    ["1e1x", undefined],
  ])("%j is %j seconds", (value, seconds) => {
    expect(retryAfterOf(response(429, value))).toBe(seconds);
  });

  it("rounds up to whole seconds", () => {
    vi.setSystemTime(Date.UTC(2026, 0, 1) + 1);
    expect(retryAfterOf(response(429, "Thu, 01 Jan 2026 00:00:30 GMT"))).toBe(30);
  });

  it("comes before the jitter, up to the limit", () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    expect(pauseBefore(0, response(429, "2"), 2_000)).toBe(2_250);
    expect(pauseBefore(0, response(429, "3"), 2_000)).toBeUndefined();
    expect(pauseBefore(0, response(502), 0)).toBe(250);
    expect(pauseBefore(3, failure("ECONNRESET"), 0)).toBe(2_000);
    expect(pauseBefore(4, response(502), 0)).toBe(4_000);
    expect(pauseBefore(9, response(502), 0)).toBe(4_000);
  });
});
