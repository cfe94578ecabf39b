/** Returns the Damerau–Levenshtein distance: the number of letters to insert, remove, replace or swap. */
const distance = (left: string, right: string): number => {
  const rows: number[][] = [[...Array(right.length + 1).keys()]];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1];
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (same ? 0 : 1),
          swapped ? at(i - 2, j - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(left.length, right.length);
};

/** Returns up to three candidates that were probably meant, best first. */
export const similar = (word: string, candidates: readonly string[]): string[] => {
  const maxDistance = Math.min(3, Math.max(1, Math.floor(word.length * 0.4)));
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, steps: distance(word.toLowerCase(), candidate) }))
    .filter(({ candidate, steps }) => steps <= maxDistance || (word.length > 2 && candidate.startsWith(word)))
    .sort((a, b) => a.steps - b.steps)
    .map(({ candidate }) => candidate)
    .slice(0, 3);
};

/** Returns `Did you mean …? ` for a value that is not allowed, or an empty string if none of the allowed ones is similar. */
export const didYouMean = (value: string, allowed: readonly string[]): string => {
  // Any two words with one or two letters are similar.
  const meant = value.length > 2 ? similar(value, allowed) : [];
  return meant.length > 0 ? `Did you mean ${meant.join(" or ")}? ` : "";
};

/** Names of a command in other programs. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  get: ["show", "describe", "view", "info", "inspect", "read", "display"],
  list: ["ls", "all", "index"],
  delete: ["rm", "remove", "destroy", "del", "drop", "erase"],
  create: ["new", "add", "make", "insert"],
  update: ["edit", "set", "modify", "change", "patch", "rename"],
  login: ["signin", "sign-in", "log-in"],
  logout: ["signout", "sign-out", "log-out"],
};

/** Returns which of the known commands a word of another program means. */
export const meantBy = (word: string, known: readonly string[]): string[] =>
  known.filter((name) => Object.hasOwn(otherNames, name) && otherNames[name]?.includes(word));
