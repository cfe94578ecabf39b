import { closestName } from "@mgmt/internal/text/closest-name";

/**
 * Throws for options that are no object, and for an option that does not exist, which TypeScript refuses, too.
 *
 * @param options the options, or anything else that a JavaScript program passes.
 * @param known the names of all options.
 * @param path where the options are: `settings.` for those in `settings`.
 * @throws TypeError that names the option and the most similar one, and all.
 */
export const assertKnownOptions = (options: unknown, known: readonly string[], path = ""): void => {
  const all = known.map((name) => path + name).join(", ");
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`${path.slice(0, -1) || "The argument"} must be an object. The options are ${all}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    const similar = closestName(name, known);
    const meant = similar === undefined ? "" : ` Did you mean ${path}${similar}?`;
    throw new TypeError(`There is no option ${path}${name}.${meant} The options are ${all}`);
  }
};
