/**
 * Returns whether a value of JSON is nested more than a number of levels deep. A parser accepts far more levels than functions that call
 * themselves for each of them.
 */
export const isTooDeep = (value: unknown, maxLevels: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  return maxLevels === 0 || Object.values(value).some((element) => isTooDeep(element, maxLevels - 1));
};
