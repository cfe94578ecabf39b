import { invalidValueError } from "../errors/usage-errors.js";

const msPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** How long `--wait` waits without `--timeout`. */
export const defaultWaitTimeout = "5m";

/** How long `--wait-approval` waits without `--timeout`: as long as the SDK. */
export const defaultApprovalTimeout = "20m";

/** Parses `90s`, `5m` or `1h30m`, or a number of seconds. Returns milliseconds. */
export const parseDuration = (duration: string, label: string): number => {
  const totalMs = /^\d+(\.\d+)?$/.test(duration)
    ? parseDurationSum(`${duration}s`)
    : parseDurationSum(duration);
  if (!(totalMs > 0) || totalMs > 24 * 3_600_000 || /[dw]/.test(duration)) {
    throw invalidValueError(
      label,
      `cannot be ${JSON.stringify(duration)}`,
      "Use a time such as 90s, 5m or 1h30m, at most 24h.",
    );
  }
  return totalMs;
};

/** Parses `12h`, `7d` or `2w`, or `0` for no time, of at most a year. Returns milliseconds. */
export const parsePeriod = (duration: string, label: string): number => {
  const totalMs = duration === "0" ? 0 : parseDurationSum(duration);
  if (Number.isNaN(totalMs) || totalMs > 366 * 86_400_000) {
    throw invalidValueError(
      label,
      `cannot be ${JSON.stringify(duration)}`,
      "Use a time such as 12h, 7d or 2w, at most a year.",
    );
  }
  return totalMs;
};

/** Returns the sum of times such as `1h30m` in milliseconds, or NaN if the text is something else. */
const parseDurationSum = (duration: string): number => {
  const parts = duration.match(/\d+(\.\d+)?(ms|[smhdw])/g) ?? [];
  if (duration === "" || parts.join("").length < duration.length) return NaN;
  return parts.reduce(
    (sum, part) => sum + parseFloat(part) * (msPerUnit[part.replace(/^[\d.]+/, "")] ?? NaN),
    0,
  );
};
