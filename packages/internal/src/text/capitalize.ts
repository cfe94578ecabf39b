/** Returns a string with its first letter in upper case. */
export const capitalize = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);
