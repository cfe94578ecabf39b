import { isSecretField, secretFields } from "../generated/secret-fields.js";
import { decodeBase64, decodePercent } from "./encodings.js";
import { applyPatterns, inMessages, inValues, mask } from "./secret-patterns.js";
import { escapeUnsafe } from "./unsafe-characters.js";

/** Shorter secrets occur in other texts by chance. */
const minKnownLength = 6;
/** A secret may be encoded in an encoded text. */
const maxEncodings = 3;

const redactText = (text: string, known: readonly string[], patterns = inValues, depth = 0): string => {
  const json = depth < maxEncodings ? parseContainer(text) : undefined;
  if (json !== undefined) {
    const redacted = JSON.stringify(redactValue(json, known, depth + 1));
    return redacted === JSON.stringify(json) ? text : redacted;
  }
  let clean = applyPatterns(text, patterns);
  for (const secret of known) clean = clean.replaceAll(secret, mask);
  if (depth === maxEncodings) return clean;
  const inner = (decoded: string): string => redactText(decoded, known, patterns, depth + 1);
  return clean
    .replace(/[^\s"'<>]+/g, (encoded) => {
      if (!encoded.includes("%")) return encoded;
      const decoded = decodePercent(encoded);
      const redacted = inner(decoded);
      return redacted === decoded ? encoded : encodeText(redacted);
    })
    .replace(/[\w+/-]{8,}={0,2}/g, (encoded) => (holdsSecret(encoded, known, inner) ? mask : encoded));
};

/** Returns the object, array or string in JSON that a text consists of. */
const parseContainer = (text: string): unknown => {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const encodeText = (text: string): string => {
  try {
    return encodeURI(text).replaceAll(encodeURI(mask), mask);
  } catch {
    return mask;
  }
};

/** The encoded text may follow other characters of base64, such as the `/` of a path. */
const holdsSecret = (text: string, known: readonly string[], inner: (decoded: string) => string): boolean =>
  [0, 1, 2, 3].some((skipped) => {
    const decoded = decodeBase64(text.slice(skipped));
    if (known.some((secret) => decoded.includes(secret))) return true;
    return /^[\t\r\n -~]{6,}$/.test(decoded) && inner(decoded) !== decoded;
  });

const redactValue = (value: unknown, known: readonly string[], depth = 0): unknown => {
  if (typeof value === "string") return redactText(value, known, inValues, depth);
  if (Array.isArray(value)) return redactArray(value, known, depth);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      redactText(name, known, inValues, depth),
      isSecretField(name) ? redactSecret(name, inner, known, depth) : redactValue(inner, known, depth),
    ]),
  );
};

const redactArray = (values: readonly unknown[], known: readonly string[], depth: number): unknown[] => {
  const [name, value, ...others] = values;
  const isHeader = typeof name === "string" && /^[\w-]+$/.test(name) && others.length === 0;
  return isHeader && value !== undefined && isSecretField(name)
    ? [name, redactSecret(name, value, known, depth)]
    : values.map((each) => redactValue(each, known, depth));
};

/** Redacts the value of a field with the name of a secret. */
const redactSecret = (name: string, value: unknown, known: readonly string[], depth: number): unknown => {
  if (value === null) return null;
  if (typeof value !== "object" || hasOwnNames(name)) return mask;
  if (Array.isArray(value)) return value.map((each: unknown) => redactSecret(name, each, known, depth));
  return redactValue(value, known, depth);
};

/** Whether the names in the value are the user's own, as those of environment variables, and so tell nothing. */
const hasOwnNames = (name: string): boolean =>
  secretFields.has(name) || /env|(?:secret|password|passphrase|cookie)s$/i.test(name);

/**
 * Masks secrets in a message of the service, and escapes what a terminal would act on: a proxy may have quoted the request in it.
 */
export const redactMessage = (text: string): string => escapeUnsafe(redactText(text, [], inMessages));

/**
 * Masks the secrets in a URL: passwords, tokens, and query parameters with names such as `code` or `apikey`. Returns the
 * URL as text.
 *
 * @param known secrets to mask in addition, also percent-encoded or in base64. Default: none.
 */
export const redactUrl = (url: string, known: readonly string[] = []): string => redactText(url, known);

/**
 * Masks the secrets in headers: those with names such as `authorization`, and tokens in other values. Returns a copy.
 *
 * @param known secrets to mask in addition, also percent-encoded or in base64. Default: none.
 */
export const redactHeaders = (
  headers: Readonly<Record<string, string>>,
  known: readonly string[] = [],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isSecretField(name) ? mask : redactText(value, known),
    ]),
  );

/**
 * Masks the secrets in a JSON body: the fields that the contract marks as secret, fields with names such as `password`, and
 * connection strings and tokens in other values. Returns the parsed value. Of a body that is not JSON, returns only its
 * length, in words.
 *
 * @param known secrets to mask in addition, also percent-encoded or in base64. Default: none.
 */
export const redactBody = (body: string, known: readonly string[] = []): unknown => {
  try {
    return redactValue(JSON.parse(body), known);
  } catch {
    return `${body.length} characters that are not JSON`;
  }
};

/**
 * Returns the values of the headers and JSON fields with names of secrets, without the scheme of a header such as
 * `Bearer`. Pass them to `redactUrl`, `redactHeaders` and `redactBody`. Values of fewer than 6 characters are left out.
 */
export const secretsIn = (headers: Readonly<Record<string, string>>, body: string | undefined): string[] => {
  const found = new Set<string>();
  const collect = (value: unknown, isSecret: boolean): void => {
    if (isSecret && typeof value === "string") found.add(value.replace(/^\w+\s+(?=\S+$)/, ""));
    else if (Array.isArray(value)) for (const each of value) collect(each, isSecret);
    else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        collect(inner, isSecretField(name) || (isSecret && hasOwnNames(name)));
      }
    }
  };
  collect(headers, false);
  collect(parseContainer(body ?? ""), false);
  return [...found].filter((each) => each.length >= minKnownLength).sort((a, b) => b.length - a.length);
};
