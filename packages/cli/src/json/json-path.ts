/** Returns whether a value is an object other than an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value at a path of names or indexes, or undefined where the path ends early. */
export const getAtPath = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((target, name) => {
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, name)) return undefined;
    // The line above checked that it is an object or an array.
    return (target as Record<string, unknown>)[name];
  }, value);

/** Sets the value at a path, creating objects on the way. */
export const setAtPath = (body: Record<string, unknown>, path: readonly string[], value: unknown): void => {
  let target = body;
  for (const name of path.slice(0, -1)) {
    const existingValue = Object.hasOwn(target, name) ? target[name] : undefined;
    const child = isObject(existingValue) ? existingValue : {};
    target[name] = child;
    target = child;
  }
  const lastName = path.at(-1);
  if (lastName !== undefined) target[lastName] = value;
};
