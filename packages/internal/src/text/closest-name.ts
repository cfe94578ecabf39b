import { countTypingErrors } from "./typing-errors.js";

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
