/** The character that some editors on Windows write at the start of a UTF-8 file. Parsers of JSON reject it. */
export const byteOrderMark = "\uFEFF";

/** Returns a text without the byte order mark at its start, if it has one. */
export const stripByteOrderMark = (text: string): string =>
  text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
