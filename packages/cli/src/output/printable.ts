import { escapeCharacter, escapeUnsafe, unsafeCharacterPattern } from "@mgmt/internal/text/unsafe-characters";
import { escapeLogMarkers, hasLogCommand, escapeLogCommands } from "./log-commands.js";

/**
 * Returns joiners that belong to a visible character or to the spelling of a word: in emoji, Arabic and Indic scripts. V8 takes almost a
 * millisecond to read these properties, which most strings do not need.
 */
const createJoinerPattern = (): RegExp =>
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Script=Arabic}\p{M}])[\u200c\u200d](?=[\p{Script=Arabic}\p{Lo}])/u;

let joinerOrUnsafePattern: RegExp | undefined;

/** Returns whether a string has only characters that are safe and take one column. Most strings do, and long tables have many of them. */
export const isPlainAscii = (text: string): boolean => /^[ -~]*$/.test(text);

/**
 * Makes foreign text safe for a terminal and the log of a CI system: a name must not move the cursor, hide a line, look like another name,
 * or be a command of the log. Line breaks and tabs become spaces, and unsafe characters become escapes such as `\u001b`.
 */
export const toPrintable = (text: string): string =>
  escapeLogCommands(
    isPlainAscii(text) ? text : escapeForeignText(text.replaceAll(/[\t\n\r\u2028\u2029]+/g, " ")),
  );

const escapeForeignText = (text: string): string => {
  joinerOrUnsafePattern ??= new RegExp(
    `(${createJoinerPattern().source})|${unsafeCharacterPattern.source}`,
    "gu",
  );
  return text.replaceAll(
    joinerOrUnsafePattern,
    (character, joiner?: string) => joiner ?? escapeCharacter(character),
  );
};

/** Returns text of several lines with each line safe to print on a terminal. */
export const toPrintableLines = (text: string): string => text.split("\n").map(toPrintable).join("\n");

/** Returns text that is safe to print on a terminal. Keeps line breaks and tabs. */
export const toPrintableTable = (text: string): string =>
  text.replaceAll(/[^\t\n]+/g, (part) => toPrintable(part));

/** Replaces unsafe characters in YAML by escapes, which have to be in double quotes. */
export const escapeYaml = (text: string): string =>
  escapeLogMarkers(text).replaceAll(unsafeCharacterPattern, (character) =>
    character.length === 1
      ? escapeCharacter(character)
      : `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`,
  );

/** Returns whether a string has a character that is unsafe on a terminal, or a command of a CI system. */
export const isUnsafeText = (text: string): boolean =>
  text.search(unsafeCharacterPattern) >= 0 || hasLogCommand(text);

/** Renders a value as JSON that is safe on a terminal and in the log of a CI system, and equivalent to the result of `JSON.stringify`. */
export const toSafeJson = (value: unknown, indent?: number): string =>
  escapeJsonText(JSON.stringify(value, null, indent));

/** Escapes the same characters in JSON. */
export const escapeJsonText = (json: string): string =>
  // Almost every text is plain, which takes less time to find out.
  escapeLogMarkers(/[^\t\n -~]/.test(json) ? escapeUnsafe(json) : json);
