/**
 * Control characters except tab and line feed, invisible characters, characters that change the direction of text, line
 * separators, and halves of surrogate pairs. A terminal may act on them, or show nothing in their place.
 */
export const unsafeCharacterPattern =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Returns the escapes that JSON has for a character: two for one above U+FFFF. */
export const escapeCharacter = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** Replaces unsafe characters by the escapes of JSON. JSON stays equal. */
export const escapeUnsafe = (text: string): string =>
  text.replaceAll(unsafeCharacterPattern, escapeCharacter);
