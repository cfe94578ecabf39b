import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseHttpDate, parseRetryAfter } from "./http-time.js";

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 28, 12) }));
afterEach(() => void vi.useRealTimers());

describe("parseHttpDate", () => {
  it.each([
    ["the preferred form", "Sun, 06 Nov 1994 08:49:37 GMT"],
    ["the form of RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT"],
    ["the form of asctime", "Sun Nov  6 08:49:37 1994"],
  ])("reads %s", (_, text) => {
    expect(parseHttpDate(text)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
  });

  it("reads a day of two digits in the form of asctime", () => {
    expect(parseHttpDate("Wed Nov 16 08:49:37 1994")).toBe(Date.UTC(1994, 10, 16, 8, 49, 37));
  });

  it.each([
    ["at most 50 years from now", "Friday, 06-Nov-76 08:49:37 GMT", 2076],
    ["the last century otherwise", "Sunday, 06-Nov-77 08:49:37 GMT", 1977],
    ["this year", "Friday, 06-Nov-26 08:49:37 GMT", 2026],
  ])("reads two digits as a year that is %s", (_, text, year) => {
    expect(new Date(parseHttpDate(text)).getUTCFullYear()).toBe(year);
  });

  it.each([
    ["no date", "soon"],
    ["nothing", ""],
    ["ISO 8601", "1994-11-06T08:49:37Z"],
    ["another time zone", "Sun, 06 Nov 1994 08:49:37 +0100"],
    ["the wrong weekday", "Mon, 06 Nov 1994 08:49:37 GMT"],
    ["a day that does not exist", "Sun, 31 Nov 1994 08:49:37 GMT"],
    ["a day of one digit", "Sun, 6 Nov 1994 08:49:37 GMT"],
  ])("returns NaN for %s", (_, text) => {
    expect(parseHttpDate(text)).toBeNaN();
  });
});

describe("parseRetryAfter", () => {
  it.each([
    ["seconds", "7", 7],
    ["zero", "0", 0],
    ["a fraction, rounded up", "1.2", 2],
    ["spaces", " 7 ", 7],
    ["a date", "Sat, 28 Nov 2026 12:01:00 GMT", 60],
    ["a date in the past", "Sat, 28 Nov 2026 11:59:00 GMT", 0],
    ["the longest of several", "3, 9, 5", 9],
    ["a date among several", "3, Sat, 28 Nov 2026 12:01:00 GMT, 5", 60],
    ["a date of RFC 850 among several", "Saturday, 28-Nov-26 12:01:00 GMT, 5", 60],
  ])("reads %s", (_, text, seconds) => {
    expect(parseRetryAfter(text)).toBe(seconds);
  });

  it.each(["", "soon", "-1", "+1", "1e3", "0x10", "1.", ".5", "3, soon", "7 seconds"])(
    "returns undefined for %j",
    (text) => {
      expect(parseRetryAfter(text)).toBeUndefined();
    },
  );
});
