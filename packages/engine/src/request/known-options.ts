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
    const similar = mostSimilar(name, known);
    const meant = similar === undefined ? "" : ` Did you mean ${path}${similar}?`;
    const all = known.map((each) => path + each).join(", ");
    throw new TypeError(`There is no option ${path}${name}.${meant} The options are ${all}`);
  }
};

/** Returns the name that contains the given one or is contained in it, or else the one with the longest common beginning. */
const mostSimilar = (given: string, names: readonly string[]): string | undefined => {
  const word = given.toLowerCase();
  const common = (name: string): number => {
    const other = name.toLowerCase();
    if (word.length > 2 && (other.includes(word) || word.includes(other))) return Infinity;
    const different = [...word].findIndex((letter, index) => letter !== other[index]);
    return different === -1 ? word.length : different;
  };
  const [best] = names.toSorted((one, other) => common(other) - common(one));
  return best !== undefined && common(best) > 2 ? best : undefined;
};
