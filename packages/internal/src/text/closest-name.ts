import { countTypingErrors } from "./typing-errors.js";

/**
 * Returns the name that a mistyped name was probably meant to be; undefined if none is similar. The fewest typing errors win. A name
 * that contains the other is always similar enough. If no name is, one with the same first letters is returned.
 *
 * @param name the name that may be mistyped.
 * @param synonyms other words for a name, in lower case. They count as its spellings.
 */
export const findClosestName = (
  name: string,
  names: readonly string[],
  synonyms: Readonly<Record<string, readonly string[]>> = {},
): string | undefined => {
  const letters = toLetters(name);
  if (letters.length < minLength) return undefined;
  const candidates = names.map((candidateName) => {
    const candidateLetters = toLetters(candidateName);
    const isContained = candidateLetters.includes(letters) || letters.includes(candidateLetters);
    const spellings = [candidateLetters, ...(synonyms[candidateName] ?? [])];
    const errorCounts = spellings
      .map((spelling) => ({
        count: countTypingErrors(letters, spelling),
        maxCount: computeMaxTypingErrors(letters, spelling),
      }))
      .filter(({ count, maxCount }) => isContained || count <= maxCount)
      .map(({ count }) => count);
    const hasSameBeginning = candidateLetters.startsWith(letters.slice(0, minLength));
    return {
      name: candidateName,
      errorCount: Math.min(...errorCounts, hasSameBeginning ? Number.MAX_VALUE : Infinity),
    };
  });
  const [closest] = candidates.sort((left, right) => left.errorCount - right.errorCount);
  return closest && closest.errorCount < Infinity ? closest.name : undefined;
};

/** A name with fewer letters than this would be similar to too many names. */
const minLength = 3;

const toLetters = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

const computeMaxTypingErrors = (firstName: string, secondName: string): number =>
  Math.floor(Math.max(firstName.length, secondName.length) / 3);
