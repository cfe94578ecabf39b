/**
 * Returns the name that another one was probably meant to be: the closest by the number of typing errors. A name that contains the
 * other is always close enough, and if none is, one with the same beginning. Synonyms, in lower-case letters, count as the name.
 */
export const closestName = (
  name: string,
  names: readonly string[],
  synonyms: Readonly<Record<string, readonly string[]>> = {},
): string | undefined => {
  const word = lettersOf(name);
  if (word.length < minimum) return undefined;
  const candidates = names.map((name) => {
    const letters = lettersOf(name);
    const contains = letters.includes(word) || word.includes(letters);
    const spellings = [letters, ...(synonyms[name] ?? [])];
    const errors = spellings
      .map((spelling) => ({ count: typingErrors(word, spelling), allowed: allowedErrors(word, spelling) }))
      .filter(({ count, allowed }) => contains || count <= allowed)
      .map(({ count }) => count);
    const hasSameBeginning = letters.startsWith(word.slice(0, minimum));
    return { name, errors: Math.min(...errors, hasSameBeginning ? Number.MAX_VALUE : Infinity) };
  });
  const [best] = candidates.sort((one, other) => one.errors - other.errors);
  return best && best.errors < Infinity ? best.name : undefined;
};

/** Fewer letters than these are similar to too much. */
const minimum = 3;

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

const allowedErrors = (one: string, other: string): number =>
  Math.floor(Math.max(one.length, other.length) / 3);

/** Counts the letters that are missing, added, replaced, or swapped with the next one. */
const typingErrors = (one: string, other: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? Infinity) + 1,
          (next[column - 1] ?? Infinity) + 1,
          (last[column - 1] ?? Infinity) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = next;
  }
  return last.at(-1) ?? 0;
};
