/** Returns whether a date in ISO 8601, such as `2026-01-31`, exists. `Date` alone reads February 31 as March 3. */
export const isRealDay = (date: string): boolean => new Date(date).getUTCDate() === Number(date.slice(-2));
