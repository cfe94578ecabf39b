/** Seconds, from seconds or from a date. */
export const readRetryAfter = (value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
};
