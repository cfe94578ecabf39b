/**
 * Postgres does not store U+0000 or lone surrogates in `jsonb` or `text`, but strings of JavaScript and of requests may
 * contain them. They are stored as U+0001 followed by `0` or four hexadecimal digits, and U+0001 itself as U+0001 and `1`.
 */
const escapePrefix = "\u0001";

const unstorablePattern =
  /[\u0000\u0001]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Most strings are ids. This is several times as fast as looking for surrogates. */
const storablePattern = /^[\u0002-\u007f]*$/;

/** Returns the text with characters that Postgres can store. */
export const toStorable = (text: string): string => (storablePattern.test(text) ? text : escapeText(text));

const escapeText = (text: string): string =>
  text.replace(unstorablePattern, (character) => {
    const code = character.charCodeAt(0);
    return escapePrefix + (code < 2 ? String(code) : code.toString(16));
  });

const escapedPattern = /\u0001(0|1|d[89a-f][0-9a-f]{2})/g;

const fromStorable = (text: string): string =>
  text.replace(escapedPattern, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

/** Matches the escapes in JSON text that stand for characters that Postgres does not store. */
const unstorableJsonPattern = /\\u(000[01]|d[89a-f][0-9a-f]{2})/i;

/** Returns a value as JSON text that `jsonb` accepts. */
export const toStorableJson = (value: object): string => {
  const text = JSON.stringify(value);
  return unstorableJsonPattern.test(text) ? JSON.stringify(mapStrings(value, toStorable)) : text;
};

/** Returns the value that `toStorableJson` was given. */
export const parseStorableJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  return text.includes("\\u0001") ? mapStrings(value, fromStorable) : value;
};

/** Maps every string and every name of a JSON value. */
const mapStrings = (value: unknown, mapText: (text: string) => string): unknown => {
  if (typeof value === "string") return mapText(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapStrings(item, mapText));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [mapText(name), mapStrings(item, mapText)]),
  );
};
