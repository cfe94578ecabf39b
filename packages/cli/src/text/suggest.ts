/** Returns the Damerau–Levenshtein distance: the number of letters to insert, remove, replace or swap. */
const computeEditDistance = (left: string, right: string): number => {
  const rows: number[][] = [[...Array(right.length + 1).keys()]];
  const getDistance = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let rowIndex = 1; rowIndex <= left.length; rowIndex++) {
    const row = [rowIndex];
    rows.push(row);
    for (let columnIndex = 1; columnIndex <= right.length; columnIndex++) {
      const isSameLetter = left[rowIndex - 1] === right[columnIndex - 1];
      const isSwapped =
        rowIndex > 1 &&
        columnIndex > 1 &&
        left[rowIndex - 1] === right[columnIndex - 2] &&
        left[rowIndex - 2] === right[columnIndex - 1];
      row.push(
        Math.min(
          getDistance(rowIndex - 1, columnIndex) + 1,
          getDistance(rowIndex, columnIndex - 1) + 1,
          getDistance(rowIndex - 1, columnIndex - 1) + (isSameLetter ? 0 : 1),
          isSwapped ? getDistance(rowIndex - 2, columnIndex - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return getDistance(left.length, right.length);
};

/** Returns up to three candidates that were probably meant, best first. */
export const findSimilar = (word: string, candidates: readonly string[]): string[] => {
  const maxDistance = Math.min(3, Math.max(1, Math.floor(word.length * 0.4)));
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: computeEditDistance(word.toLowerCase(), candidate) }))
    .filter(
      ({ candidate, distance }) => distance <= maxDistance || (word.length > 2 && candidate.startsWith(word)),
    )
    .sort((left, right) => left.distance - right.distance)
    .map(({ candidate }) => candidate)
    .slice(0, 3);
};

/** Returns `Did you mean …? ` for a value that is not allowed, or an empty string if none of the allowed ones is similar. */
export const formatSuggestion = (value: string, allowedValues: readonly string[]): string => {
  // Any two words with one or two letters are similar.
  const similarValues = value.length > 2 ? findSimilar(value, allowedValues) : [];
  return similarValues.length > 0 ? `Did you mean ${similarValues.join(" or ")}? ` : "";
};

/** Names of a command in other programs. */
const synonymsByCommand: Readonly<Record<string, readonly string[]>> = {
  get: ["show", "describe", "view", "info", "inspect", "read", "display"],
  list: ["ls", "all", "index"],
  delete: ["rm", "remove", "destroy", "del", "drop", "erase"],
  create: ["new", "add", "make", "insert"],
  update: ["edit", "set", "modify", "change", "patch", "rename"],
  login: ["signin", "sign-in", "log-in"],
  logout: ["signout", "sign-out", "log-out"],
};

/** Returns which of the known commands a word of another program means. */
export const findCommandsForSynonym = (word: string, commandNames: readonly string[]): string[] =>
  commandNames.filter(
    (name) => Object.hasOwn(synonymsByCommand, name) && synonymsByCommand[name]?.includes(word),
  );
