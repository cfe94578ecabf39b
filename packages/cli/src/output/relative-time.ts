const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Whether a value is a point in time as the API writes it. */
export const isTime = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(value);

/** Returns the distance of an ISO time from now, for people: `3 hours ago`, `in 5 days`. */
export const relativeTime = (time: string, now = Date.now()): string => {
  const seconds = (Date.parse(time) - now) / 1_000;
  const distance = Math.abs(seconds);
  for (const [unit, length] of units) {
    const count = Math.floor(distance / length);
    if (count === 0) continue;
    const text = `${count} ${unit}${count === 1 ? "" : "s"}`;
    return seconds < 0 ? `${text} ago` : `in ${text}`;
  }
  return seconds <= 0 ? "just now" : "in less than a minute";
};
