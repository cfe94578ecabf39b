/** Removes the `url` of each resource in a value, at any depth. No tool accepts it. */
export const omitUrls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(omitUrls);
  if (typeof value !== "object" || value === null) return value;
  const isResource = "id" in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(isResource && name === "url"))
      .map(([name, propertyValue]) => [name, omitUrls(propertyValue)]),
  );
};
