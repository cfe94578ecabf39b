import { isHarmlessField, isSecretField, secretFields } from "../generated/secret-fields.js";
import { replaceJson } from "../text/embedded-json.js";
import { decodeBase64, decodeHex, decodePercent, isReadableText } from "../text/encodings.js";
import { applyRules, messageRules, valueRules, mask } from "./secret-patterns.js";
import { escapeUnsafe } from "../text/unsafe-characters.js";

/** Shorter secrets occur in other strings by chance. */
const minSecretLength = 6;
/** A secret may be encoded in an encoded text. */
const maxEncodings = 5;

/** Objects and arrays inside each other. Deeper ones are masked as a whole. */
const maxLevels = 100;

interface Scope {
  /** Secrets to mask wherever they are. */
  readonly known: readonly string[];
  readonly rules: typeof valueRules;
  /** Number of encodings around the text. */
  readonly encodings: number;
  /** Number of objects and arrays around the value. */
  readonly levels: number;
}

const scopeOf = (known: readonly string[] = [], rules = valueRules): Scope => ({
  known,
  rules,
  encodings: 0,
  levels: 0,
});

/** Most strings are ids and names in lower case, which cannot contain a secret. */
const isPlain = (text: string): boolean => /^[a-z0-9_-]{0,64}$/.test(text) && !/^[0-9a-f]{16,}$/.test(text);

const redactText = (text: string, scope: Scope): string => {
  const { known, rules, encodings } = scope;
  if (isPlain(text) && !known.some((secret) => text.includes(secret))) return text;
  const isInnermost = encodings === maxEncodings;
  const inside = { ...scope, encodings: encodings + 1 };
  const json = isInnermost ? undefined : parseContainer(text);
  if (json !== undefined) return redactJson(json, inside) ?? text;
  const redactedJson = isInnermost ? text : replaceJson(text, (value) => redactJson(value, inside));
  let redactedText = applyRules(redactedJson, rules);
  for (const secret of known) redactedText = redactedText.replaceAll(secret, mask);
  if (isInnermost) return redactedText;
  const redactInner = (decoded: string): string => redactText(decoded, inside);
  // Base64 comes before forms, in which its plus signs would be spaces.
  return redactedText
    .replace(/(?<![\w+/-])((?:[\w+/-]{40,100}\r?\n)+)([\w+/-]{1,100}={0,2})?/g, (lines, lastLine: string) =>
      [lines, lastLine].some((part) => holdsSecret(part.replace(/\s/g, ""), known, redactInner))
        ? mask
        : lines,
    )
    .replace(/[\w+/-]{8,}={0,2}/g, (encoded) => (holdsSecret(encoded, known, redactInner) ? mask : encoded))
    .replace(/[^\s"<>]+/g, (encoded) => {
      if (!encoded.includes("%") && !(encoded.includes("+") && encoded.includes("="))) return encoded;
      let text = encoded;
      // Forms encode spaces as plus signs.
      for (const hasSpaces of [true, false]) {
        const decoded = decodePercent(hasSpaces ? text.replaceAll("+", " ") : text);
        const redacted = redactInner(decoded);
        if (redacted !== decoded) text = encodeText(redacted);
      }
      return text;
    });
};

/** Returns JSON with its secrets masked; undefined when there are none. */
const redactJson = (value: unknown, scope: Scope): string | undefined => {
  const redacted = redactValue(value, scope);
  return redacted === value ? undefined : JSON.stringify(redacted);
};

/** Parses a string that is entirely a JSON object, array or string. */
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

/** Whether a string is a secret in base64 or hexadecimal digits. */
const holdsSecret = (
  text: string,
  known: readonly string[],
  redactInner: (decoded: string) => string,
): boolean => {
  const decoded = decodeBase64(text);
  if (text.length >= 16 && isReadableText(decoded) && isUserAndPassword(decoded)) return true;
  const isSecret = (part: string): boolean =>
    known.some((secret) => part.includes(secret)) || (isReadableText(part) && redactInner(part) !== part);
  if (/^(?:[0-9a-f]{2}){8,}$/i.test(text) && isSecret(decodeHex(text))) return true;
  // The encoded text may follow other characters of base64, such as the `/` of a path.
  return isSecret(decoded) || [1, 2, 3].some((offset) => isSecret(decodeBase64(text.slice(offset))));
};

/** Whether a string has the form of Basic credentials. Times and URLs do not. */
const isUserAndPassword = (text: string): boolean => /^(?!\d+:\d)[\w.@+-]{1,200}:(?!\/\/)\S{4,}$/.test(text);

/** Fields of a private key in JSON, which have short names ([RFC 7518, section 6](https://www.rfc-editor.org/rfc/rfc7518#section-6)). */
const privateKeyFields: readonly string[] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Returns the same value when it contains no secret. */
const redactValue = (value: unknown, scope: Scope): unknown => {
  if (typeof value === "string") return redactText(value, scope);
  if (typeof value !== "object" || value === null) return value;
  if (scope.levels === maxLevels) return mask;
  const inside = { ...scope, levels: scope.levels + 1 };
  return Array.isArray(value) ? redactArray(value, inside) : redactObject(value, inside);
};

const redactObject = (value: object, scope: Scope): unknown => {
  const isSecret = secretNamesIn(value);
  return mapFields(value, scope, (name, redactInner) =>
    isSecret(name, redactInner) ? redactSecret(name, redactInner, scope) : redactValue(redactInner, scope),
  );
};

/** Returns a copy with other names and values; the same object if all are the same. */
const mapFields = (
  value: object,
  scope: Scope,
  map: (name: string, redactInner: unknown) => unknown,
): unknown => {
  let isSame = true;
  const fields = Object.entries(value).map(([name, redactInner]: [string, unknown]) => {
    const field = [redactText(name, scope), map(name, redactInner)] as const;
    isSame &&= field[0] === name && field[1] === redactInner;
    return field;
  });
  return isSame ? value : Object.fromEntries(fields);
};

/** Returns which fields of an object are secrets: by their names, or by the name in another field. */
const secretNamesIn = (value: object): ((name: string, redactInner: unknown) => boolean) => {
  const fields = new Map<string, unknown>(Object.entries(value));
  const isPair = ["name", "key", "header", "field", "param"].some((key) => {
    const named = fields.get(key);
    return typeof named === "string" && isSecretField(named);
  });
  return (name, redactInner) =>
    isSecretField(name) ||
    (isPair && /^(?:val|content|data|text)$/i.test(name)) ||
    (fields.has("kty") && privateKeyFields.includes(name)) ||
    (/^env(?:ironment)?$/i.test(name) && typeof redactInner === "object");
};

const redactArray = (values: readonly unknown[], scope: Scope): unknown => {
  // Headers and parameters are pairs, or names and values in turn.
  const redacted = values.map((value, index) => {
    const name = values[index - 1];
    const isNamed = index % 2 === 1 && values.length % 2 === 0 && typeof name === "string";
    return isNamed && /^[\w.-]{1,100}$/.test(name.normalize("NFKC")) && isSecretField(name)
      ? redactSecret(name, value, scope)
      : redactValue(value, scope);
  });
  return redacted.every((item, index) => item === values[index]) ? values : redacted;
};

/** Redacts the value of a field with the name of a secret: all of it, except information about the secret. */
const redactSecret = (name: string, value: unknown, scope: Scope): unknown => {
  if (value === null) return null;
  if (typeof value !== "object" || scope.levels === maxLevels || hasOwnNames(name)) return mask;
  const inside = { ...scope, levels: scope.levels + 1 };
  if (Array.isArray(value)) return value.map((item: unknown) => redactSecret(name, item, inside));
  return mapFields(value, inside, (redactInner, item) =>
    isHarmlessField(redactInner) && typeof item !== "object"
      ? redactValue(item, inside)
      : redactSecret(name, item, inside),
  );
};

/** Whether the names in the value are the user's own, as those of environment variables, and so tell nothing. */
const hasOwnNames = (name: string): boolean =>
  secretFields.has(name) || /^env|(?:secret|password|passphrase|cookie)s$/i.test(name);

/**
 * Masks the secrets in a value of JSON, as `redactBody` does in its text. Returns the same value when it contains none.
 *
 * @param known secrets to mask in addition, also percent-encoded or in base64. Default: none.
 */
export const redactData = (value: unknown, known: readonly string[] = []): unknown =>
  redactValue(value, scopeOf(known));

/**
 * Masks secrets in a message of the service, and escapes characters that a terminal would act on: a proxy may have quoted the request in
 * it.
 */
export const redactMessage = (text: string): string =>
  escapeUnsafe(redactText(text, scopeOf([], messageRules)));

/**
 * Masks the secrets in a URL: passwords, tokens, and query parameters with names such as `code` or `apikey`. Returns the
 * URL as text.
 *
 * @param known secrets to mask in addition, also percent-encoded or in base64. Default: none.
 */
export const redactUrl = (url: string, known: readonly string[] = []): string =>
  redactText(url, scopeOf(known));

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
      isSecretField(name) ? mask : redactText(value, scopeOf(known)),
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
    return redactData(JSON.parse(body), known);
  } catch {
    return `${body.length} characters that are not JSON`;
  }
};

/**
 * Returns the values of the headers and JSON fields with names of secrets, without the scheme of a header such as
 * `Bearer`, and the passwords in them. Pass them to `redactUrl`, `redactHeaders` and `redactBody`. Values of fewer than 6
 * characters are left out.
 */
export const secretsIn = (headers: Readonly<Record<string, string>>, body: string | undefined): string[] => {
  const secretValues = new Set<string>();
  const collect = (value: unknown, isSecret: boolean, levels = 0): void => {
    if (isSecret && typeof value === "string") for (const part of partsOf(value)) secretValues.add(part);
    if (typeof value !== "object" || value === null || levels > maxLevels) return;
    if (Array.isArray(value)) for (const item of value) collect(item, isSecret, levels + 1);
    else {
      for (const [name, redactInner] of Object.entries(value)) {
        collect(redactInner, isSecretField(name) || (isSecret && !isHarmlessField(name)), levels + 1);
      }
    }
  };
  collect(headers, false);
  collect(parseContainer(body ?? ""), false);
  return [...secretValues]
    .filter((secret) => secret.length >= minSecretLength)
    .sort((a, b) => b.length - a.length);
};

/** Returns a secret and its secret parts: the password of Basic credentials or of a URL, and the values of cookies. */
const partsOf = (secret: string): string[] => {
  const [, scheme, credentials = secret] = /^(\w+)\s+(\S+)$/.exec(secret) ?? [];
  const basic = scheme?.toLowerCase() === "basic" ? decodeBase64(credentials).replace(/^[^:]*:/, "") : "";
  const [, password = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/@:]*:([^@]*)@/i.exec(secret) ?? [];
  const cookies = [...secret.matchAll(/(?:^|;\s*)[\w.-]+=([^;\s]+)/g)].map(([, value = ""]) => value);
  return [credentials, basic, password, decodePercent(password), ...cookies];
};
