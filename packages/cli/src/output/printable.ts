import { escapeOf, escapeUnsafe, unsafeCharacters } from "../generated/unsafe-characters.js";

/** Joiners that belong to a visible character or to the spelling of a word: in emoji, Arabic and Indic scripts. */
const joiner =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Script=Arabic}\p{M}])[\u200c\u200d](?=[\p{Script=Arabic}\p{Lo}])/u;

const joinerOrUnsafe = new RegExp(`(${joiner.source})|${unsafeCharacters.source}`, "gu");

/** Most texts are such, and long tables have many of them. */
const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

/**
 * Makes foreign text safe for a terminal: a name must not move the cursor, hide a line, or look like another name. Line breaks
 * and tabs become spaces, and unsafe characters escapes such as `\u001b`.
 */
export const printable = (text: string): string =>
  isPlain(text)
    ? text
    : text
        .replaceAll(/[\t\n\r\u2028\u2029]+/g, " ")
        .replaceAll(joinerOrUnsafe, (character, kept?: string) => kept ?? escapeOf(character));

/** Does the same line by line, for text that has more than one. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** Replaces unsafe characters in YAML by escapes, which have to be in double quotes. */
export const escapeYaml = (text: string): string =>
  text.replaceAll(unsafeCharacters, (character) =>
    character.length === 1
      ? escapeOf(character)
      : `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`,
  );

/** Whether a text has a character that is unsafe on a terminal. */
export const isUnsafe = (text: string): boolean => text.search(unsafeCharacters) >= 0;

/** Renders a value as JSON that is safe on a terminal, and equal to what `JSON.stringify` returns. */
export const toJson = (value: unknown, indent?: number): string =>
  escapeUnsafe(JSON.stringify(value, null, indent));
