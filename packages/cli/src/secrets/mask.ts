/** What is printed in place of a secret. Its length says nothing about the secret's. */
export const mask = "********";

/** Returns a copy of a resource with the secrets at the paths masked. `*` stands for every item or value. Null stays null. */
export const maskSecrets = (value: unknown, paths: readonly string[]): unknown =>
  paths.reduce((masked, path) => maskAt(masked, path.split(".")), value);

const maskAt = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
  if (value === undefined || value === null) return value;
  if (name === undefined) return mask;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return name === "*" ? value.map((item) => maskAt(item, rest)) : value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    key,
    name === "*" || name === key ? maskAt(inner, rest) : inner,
  ]);
  return Object.fromEntries(entries);
};
