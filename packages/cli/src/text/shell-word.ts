/** Escapes the single quotes of a string that will stand between single quotes in a shell. */
export const escapeSingleQuotes = (text: string): string => text.replaceAll("'", `'\\''`);

/** Quotes a word for a shell where that is needed. */
export const quoteShellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${escapeSingleQuotes(word)}'`;
