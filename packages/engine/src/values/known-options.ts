import { closestName } from "@mgmt/internal/text/closest-name";

/**
 * Throws for an option that does not exist, which TypeScript refuses, too.
 *
 * @param given the options, or anything else that a JavaScript program passes.
 * @param known the names of all options.
 * @param path where the options are: `settings.` for those in `settings`.
 * @throws TypeError that names the option and the most similar one, or all.
 */
export const assertKnownOptions = (given: object, known: readonly string[], path = ""): void => {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue;
    const similar = closestName(name, known);
    const meant = similar === undefined ? "" : ` Did you mean ${path}${similar}?`;
    const all = known.map((each) => path + each).join(", ");
    throw new TypeError(`There is no option ${path}${name}.${meant} The options are ${all}`);
  }
};
