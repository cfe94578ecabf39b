import { invalidValue } from "../errors/usage-errors.js";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** How long `--wait` waits without `--timeout`. */
export const defaultWait = "5m";

const maximumMs = 24 * 3_600_000;

/** Parses `90s`, `5m` or `1h30m`, or a number of seconds. Returns milliseconds. */
export const parseDuration = (text: string, what: string): number => {
  const parts = /^\d+(\.\d+)?$/.test(text) ? [`${text}s`] : (text.match(/\d+(\.\d+)?(ms|s|m|h)/g) ?? []);
  const total = parts.reduce(
    (sum, part) => sum + parseFloat(part) * (units[part.replace(/^[\d.]+/, "")] ?? NaN),
    0,
  );
  if (parts.join("").length < text.length || !(total > 0) || total > maximumMs) {
    throw invalidValue(
      what,
      `cannot be ${JSON.stringify(text)}`,
      "Use a time such as 90s, 5m or 1h30m, at most 24h.",
    );
  }
  return total;
};
