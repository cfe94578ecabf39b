import { toPrintable } from "./printable.js";

/** Significant digits of a number with decimals. */
const significantDigits = 4;

/** Rounds decimals. Whole numbers and the whole part stay exact. */
const roundDecimals = (number: number): number => {
  const wholeDigits = String(Math.trunc(Math.abs(number))).length;
  return Number.isInteger(number)
    ? number
    : Number(number.toPrecision(Math.max(significantDigits, wholeDigits)));
};

/** Formats a value of a resource as one line. */
export const formatValue = (value: unknown): string => {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(roundDecimals(value));
  if (Array.isArray(value) && value.every((entry) => typeof entry !== "object")) {
    return toPrintable(value.join(", "));
  }
  return toPrintable(typeof value === "object" ? JSON.stringify(value) : String(value));
};

const secondsPerUnit = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Returns whether a value is a point in time as the API writes it. */
export const isTime = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(value);

/** Formats the distance of an ISO time from now: `3 hours ago`, `in 5 days`. */
export const formatRelativeTime = (time: string, now = Date.now()): string => {
  const seconds = (Date.parse(time) - now) / 1_000;
  const distance = Math.abs(seconds);
  for (const [unit, unitSeconds] of secondsPerUnit) {
    const count = Math.floor(distance / unitSeconds);
    if (count === 0) continue;
    const text = `${count} ${unit}${count === 1 ? "" : "s"}`;
    return seconds < 0 ? `${text} ago` : `in ${text}`;
  }
  return seconds <= 0 ? "just now" : "in less than a minute";
};
