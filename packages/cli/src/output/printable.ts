/** C1 controls, line separators, and controls that change the direction of text. JSON leaves all of them as they are. */
const unescapedByJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Removes the control characters from foreign text: a name must not move the cursor or hide a line. */
export const printable = (text: string): string =>
  // Most texts are such, and long tables have many of them.
  /^[ -~]*$/.test(text)
    ? text
    : text
        .replaceAll(/[\t\n\r\u2028\u2029]+/g, " ")
        .replaceAll(/[\u0000-\u001f]/g, "")
        .replaceAll(unescapedByJson, "");

/** Does the same line by line, for text that has more than one. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** Replaces characters that are unsafe on a terminal by escapes that JSON, and YAML in double quotes, read as the same characters. */
export const escapeUnsafe = (text: string): string =>
  text.replaceAll(
    unescapedByJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Whether JSON would print a character that is unsafe on a terminal. */
export const isUnsafe = (text: string): boolean => text.search(unescapedByJson) >= 0;

/** Renders a value as JSON that is safe on a terminal. */
export const toJson = (value: unknown, indent?: number): string =>
  escapeUnsafe(JSON.stringify(value, null, indent));
