/**
 * Returns the name that another one was probably meant to be: the closest by the number of typing errors. A name that contains the
 * other is always close enough, and if none is, one with the same beginning. Synonyms, in lower-case letters, count as the name.
 */
export const findClosestName = (
  name: string,
  names: readonly string[],
  synonyms: Readonly<Record<string, readonly string[]>> = {},
): string | undefined => {
  const word = toLetters(name);
  if (word.length < minLength) return undefined;
  const candidates = names.map((candidateName) => {
    const letters = toLetters(candidateName);
    const isContained = letters.includes(word) || word.includes(letters);
    const spellings = [letters, ...(synonyms[candidateName] ?? [])];
    const errorCounts = spellings
      .map((spelling) => ({
        count: countTypingErrors(word, spelling),
        maxCount: computeMaxTypingErrors(word, spelling),
      }))
      .filter(({ count, maxCount }) => isContained || count <= maxCount)
      .map(({ count }) => count);
    const hasSameBeginning = letters.startsWith(word.slice(0, minLength));
    return {
      name: candidateName,
      errorCount: Math.min(...errorCounts, hasSameBeginning ? Number.MAX_VALUE : Infinity),
    };
  });
  const [closest] = candidates.sort((left, right) => left.errorCount - right.errorCount);
  return closest && closest.errorCount < Infinity ? closest.name : undefined;
};

/** Fewer letters than these are similar to too much. */
const minLength = 3;

const toLetters = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

const computeMaxTypingErrors = (firstName: string, secondName: string): number =>
  Math.floor(Math.max(firstName.length, secondName.length) / 3);

/** Counts the letters that are missing, added, replaced, or swapped with the next one. */
const countTypingErrors = (firstName: string, secondName: string): number => {
  let rowBeforeLast: number[] = [];
  let lastRow = Array.from({ length: secondName.length + 1 }, (_, column) => column);
  for (let row = 1; row <= firstName.length; row += 1) {
    const currentRow = [row];
    for (let column = 1; column <= secondName.length; column += 1) {
      const isSame = firstName[row - 1] === secondName[column - 1];
      const isSwapped =
        firstName[row - 1] === secondName[column - 2] && firstName[row - 2] === secondName[column - 1];
      currentRow.push(
        Math.min(
          (lastRow[column] ?? Infinity) + 1,
          (currentRow[column - 1] ?? Infinity) + 1,
          (lastRow[column - 1] ?? Infinity) + (isSame ? 0 : 1),
          isSwapped ? (rowBeforeLast[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    rowBeforeLast = lastRow;
    lastRow = currentRow;
  }
  return lastRow.at(-1) ?? 0;
};
