/** Shortens a long word, which may be a token in the wrong place. */
export const shortened = (word: string): string => (word.length > 40 ? beginningOf(word) : word);

export const beginningOf = (word: string): string => `${word.slice(0, 8)}…`;
