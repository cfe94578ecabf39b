import { isHarmlessField, isSecretField } from "../generated/field-names.js";
import { secretFields } from "../generated/secret-fields.js";
import { replaceJson } from "../text/embedded-json.js";
import { decodeBase64, decodeHex, decodePercent, isReadableText } from "../text/encodings.js";
import { secretMask } from "./secret-mask.js";
import { applyRules, messageRules, fieldTextRules } from "./secret-patterns.js";
import { escapeUnsafe } from "../text/unsafe-characters.js";

/** Shorter secrets occur in other strings by chance. */
const minSecretLength = 6;
/** A secret may be encoded in an encoded text. */
const maxEncodings = 5;

/** Maximum depth of objects and arrays. Deeper values are masked as a whole. */
const maxLevels = 100;

interface RedactionScope {
  /** Secrets to mask wherever they are. */
  readonly knownSecrets: readonly string[];
  readonly rules: typeof fieldTextRules;
  /** Number of encodings around the text. */
  readonly encodingDepth: number;
  /** Number of objects and arrays around the value. */
  readonly depth: number;
  readonly names: NameRules;
}

/** How to read the names in a value. */
export interface NameRules {
  /** Whether the value of a field with the name is a secret. */
  readonly isSecretName: (name: string) => boolean;
  /** Whether the items of an array may be names and values in turn, like the items of `rawHeaders`. In JSON in a text, they always may. */
  readonly hasPairs: boolean;
}

const createScope = (
  knownSecrets: readonly string[] = [],
  rules = fieldTextRules,
  names: NameRules = { isSecretName: isSecretField, hasPairs: true },
): RedactionScope => ({ knownSecrets, rules, encodingDepth: 0, depth: 0, names });

/** Most strings are ids and names in lower case, which cannot contain a secret. */
const isPlainText = (text: string): boolean =>
  /^[a-z0-9_-]{0,64}$/.test(text) && !/^[0-9a-f]{16,}$/.test(text);

const redactText = (text: string, scope: RedactionScope): string => {
  const { knownSecrets, rules, encodingDepth } = scope;
  if (isPlainText(text) && !knownSecrets.some((secret) => text.includes(secret))) return text;
  const isInnermost = encodingDepth === maxEncodings;
  const names = { ...scope.names, hasPairs: true };
  const innerScope = { ...scope, encodingDepth: encodingDepth + 1, names };
  const json = isInnermost ? undefined : parseContainer(text);
  if (json !== undefined) return redactJson(json, innerScope) ?? text;
  const redactedJson = isInnermost ? text : replaceJson(text, (value) => redactJson(value, innerScope));
  let redactedText = applyRules(redactedJson, rules);
  for (const secret of knownSecrets) redactedText = redactedText.replaceAll(secret, secretMask);
  if (isInnermost) return redactedText;
  const redactInner = (decoded: string): string => redactText(decoded, innerScope);
  // Base64 comes before forms, in which its plus signs would be spaces.
  return redactedText
    .replace(/(?<![\w+/-])((?:[\w+/-]{40,100}\r?\n)+)([\w+/-]{1,100}={0,2})?/g, (lines, lastLine: string) =>
      [lines, lastLine].some((part) => hasEncodedSecret(part.replace(/\s/g, ""), knownSecrets, redactInner))
        ? secretMask
        : lines,
    )
    .replace(/[\w+/-]{8,}={0,2}/g, (encoded) => {
      if (hasEncodedSecret(encoded, knownSecrets, redactInner)) return secretMask;
      // The first segments of a path are not encoded.
      const segments = encoded.includes("/") ? encoded.split("/") : [];
      const index = segments.findIndex(
        (part) => part.length >= 8 && hasEncodedSecret(part, knownSecrets, redactInner),
      );
      return index < 0 ? encoded : [...segments.slice(0, index), secretMask].join("/");
    })
    .replace(/[^\s"<>]+/g, (encoded) => {
      if (!encoded.includes("%") && !(encoded.includes("+") && encoded.includes("="))) return encoded;
      let redactedPart = encoded;
      // Forms encode spaces as plus signs.
      for (const hasSpaces of [true, false]) {
        const decoded = decodePercent(hasSpaces ? redactedPart.replaceAll("+", " ") : redactedPart);
        const redacted = redactInner(decoded);
        if (redacted !== decoded) redactedPart = encodeText(redacted);
      }
      return redactedPart;
    });
};

/** Returns JSON with its secrets masked; undefined when there are none. */
const redactJson = (value: unknown, scope: RedactionScope): string | undefined => {
  const redacted = redactValue(value, scope);
  return redacted === value ? undefined : JSON.stringify(redacted);
};

/** Parses a string that is entirely a JSON object, array or string. */
const parseContainer = (json: string): unknown => {
  if (!/^\s*[[{"]/.test(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

const encodeText = (text: string): string => {
  try {
    return encodeURI(text).replaceAll(encodeURI(secretMask), secretMask);
  } catch {
    return secretMask;
  }
};

/** Returns whether a string is a secret in base64 or hexadecimal digits. */
const hasEncodedSecret = (
  text: string,
  knownSecrets: readonly string[],
  redactInner: (decoded: string) => string,
): boolean => {
  const decoded = decodeBase64(text);
  if (text.length >= 16 && isReadableText(decoded) && isUserAndPassword(decoded)) return true;
  const isSecret = (part: string): boolean =>
    knownSecrets.some((secret) => part.includes(secret)) ||
    (isReadableText(part) && redactInner(part) !== part);
  // Digits may be a part of a path.
  const digits = text.match(/(?<![0-9a-z])(?:[0-9a-f]{2}){8,}(?![0-9a-z])/gi) ?? [];
  if (digits.some((encoded) => isSecret(decodeHex(encoded)))) return true;
  // The encoded text may follow other characters of base64, such as the `/` of a path.
  return isSecret(decoded) || [1, 2, 3].some((offset) => isSecret(decodeBase64(text.slice(offset))));
};

/** Returns whether a string has the form of Basic credentials. Times and URLs do not. */
const isUserAndPassword = (text: string): boolean => /^(?!\d+:\d)[\w.@+-]{1,200}:(?!\/\/)\S{4,}$/.test(text);

/** Fields of a private key in JSON, which have short names ([RFC 7518, section 6](https://www.rfc-editor.org/rfc/rfc7518#section-6)). */
const privateKeyFields: readonly string[] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Returns the same value when it contains no secret. */
const redactValue = (value: unknown, scope: RedactionScope): unknown => {
  if (typeof value === "string") return redactText(value, scope);
  if (typeof value !== "object" || value === null) return value;
  if (scope.depth === maxLevels) return secretMask;
  const innerScope = { ...scope, depth: scope.depth + 1 };
  return Array.isArray(value) ? redactArray(value, innerScope) : redactObject(value, innerScope);
};

const redactObject = (value: object, scope: RedactionScope): unknown => {
  const isSecret = createSecretFieldTest(value, scope.names);
  return mapFields(value, scope, (name, fieldValue) =>
    isSecret(name, fieldValue) ? redactSecret(name, fieldValue, scope) : redactValue(fieldValue, scope),
  );
};

/** Returns a copy with other names and values; the same object if all are the same. */
const mapFields = (
  value: object,
  scope: RedactionScope,
  map: (name: string, fieldValue: unknown) => unknown,
): unknown => {
  let isSame = true;
  const fields = Object.entries(value).map(([name, fieldValue]: [string, unknown]) => {
    const field = [redactText(name, scope), map(name, fieldValue)] as const;
    isSame &&= field[0] === name && field[1] === fieldValue;
    return field;
  });
  return isSame ? value : Object.fromEntries(fields);
};

/** Returns which fields of an object are secrets: by their names, or by the name in another field. */
const createSecretFieldTest = (
  value: object,
  { isSecretName }: NameRules,
): ((name: string, fieldValue: unknown) => boolean) => {
  const fields = new Map<string, unknown>(Object.entries(value));
  const isPair = ["name", "key", "header", "field", "param"].some((key) => {
    const nameText = fields.get(key);
    return typeof nameText === "string" && isSecretName(nameText);
  });
  return (name, fieldValue) =>
    isSecretName(name) ||
    (isPair && /^(?:val(?:ue)?|content|data|text)$/i.test(name)) ||
    (fields.has("kty") && privateKeyFields.includes(name)) ||
    (/^env(?:ironment)?$/i.test(name) && typeof fieldValue === "object");
};

const redactArray = (values: readonly unknown[], scope: RedactionScope): unknown => {
  // Headers and parameters are pairs, or names and values in turn.
  const redactedValues = values.map((value, index) => {
    const name = values[index - 1];
    const isNamed =
      scope.names.hasPairs && index % 2 === 1 && values.length % 2 === 0 && typeof name === "string";
    return isNamed && /^[\w.-]{1,100}$/.test(name.normalize("NFKC")) && scope.names.isSecretName(name)
      ? redactSecret(name, value, scope)
      : redactValue(value, scope);
  });
  return redactedValues.every((element, index) => element === values[index]) ? values : redactedValues;
};

/** Redacts the value of a field with the name of a secret: all of it, except information about the secret. */
const redactSecret = (name: string, value: unknown, scope: RedactionScope): unknown => {
  if (value === null) return null;
  if (typeof value !== "object" || scope.depth === maxLevels || hasUserChosenNames(name)) return secretMask;
  const innerScope = { ...scope, depth: scope.depth + 1 };
  if (Array.isArray(value)) return value.map((element: unknown) => redactSecret(name, element, innerScope));
  return mapFields(value, innerScope, (fieldName, element) =>
    isHarmlessField(fieldName) && typeof element !== "object"
      ? redactValue(element, innerScope)
      : redactSecret(name, element, innerScope),
  );
};

/** Returns whether the names in the value are the user's own, such as names of environment variables, which do not identify secrets. */
const hasUserChosenNames = (name: string): boolean =>
  secretFields.has(name) || /^env|(?:secret|password|passphrase|cookie)s$/i.test(name);

/**
 * Masks the secrets in a value of JSON, as `redactBody` does in its text. Returns the same value when it contains none.
 *
 * @param knownSecrets secrets to mask in addition, also percent-encoded or in base64. Default: none.
 * @param names Default: the fields of the contract are secrets, and arrays may have pairs.
 */
export const redactData = (
  value: unknown,
  knownSecrets: readonly string[] = [],
  names?: NameRules,
): unknown => redactValue(value, createScope(knownSecrets, undefined, names));

/**
 * Masks secrets in a message of the service, and escapes characters that a terminal would act on: a proxy may have quoted the request in
 * it.
 */
export const redactMessage = (text: string): string =>
  escapeUnsafe(redactText(text, createScope([], messageRules)));

/**
 * Masks the secrets in a URL: passwords, tokens, and query parameters with names such as `code` or `apikey`. Returns the
 * URL as text.
 *
 * @param knownSecrets secrets to mask in addition, also percent-encoded or in base64. Default: none.
 */
export const redactUrl = (url: string, knownSecrets: readonly string[] = []): string =>
  redactText(url, createScope(knownSecrets));

/**
 * Masks the secrets in headers: those with names such as `authorization`, and tokens in other values. Returns a copy.
 *
 * @param knownSecrets secrets to mask in addition, also percent-encoded or in base64. Default: none.
 */
export const redactHeaders = (
  headers: Readonly<Record<string, string>>,
  knownSecrets: readonly string[] = [],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isSecretField(name) ? secretMask : redactText(value, createScope(knownSecrets)),
    ]),
  );

/**
 * Masks the secrets in a JSON body: the fields that the contract marks as secret, fields with names such as `password`, and
 * connection strings and tokens in other values. Returns the parsed value. Of a body that is not JSON, returns only its
 * length, in words.
 *
 * @param knownSecrets secrets to mask in addition, also percent-encoded or in base64. Default: none.
 */
export const redactBody = (body: string, knownSecrets: readonly string[] = []): unknown => {
  try {
    return redactData(JSON.parse(body), knownSecrets);
  } catch {
    return `${body.length} characters that are not JSON`;
  }
};

/**
 * Returns the values of the headers and JSON fields with names of secrets, without the scheme of a header such as
 * `Bearer`, and the passwords in them. Pass them to `redactUrl`, `redactHeaders` and `redactBody`. Values of fewer than 6
 * characters are left out.
 */
export const findSecrets = (
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): string[] => {
  const secretValues = new Set<string>();
  const collect = (value: unknown, isSecret: boolean, depth = 0): void => {
    if (isSecret && typeof value === "string") for (const part of splitSecret(value)) secretValues.add(part);
    if (typeof value !== "object" || value === null || depth > maxLevels) return;
    if (Array.isArray(value)) for (const element of value) collect(element, isSecret, depth + 1);
    else {
      for (const [name, fieldValue] of Object.entries(value)) {
        collect(fieldValue, isSecretField(name) || (isSecret && !isHarmlessField(name)), depth + 1);
      }
    }
  };
  collect(headers, false);
  collect(parseContainer(body ?? ""), false);
  return [...secretValues]
    .filter((secret) => secret.length >= minSecretLength)
    .sort((left, right) => right.length - left.length);
};

/** Returns a secret and its secret parts: the password of Basic credentials or of a URL, and the values of cookies. */
const splitSecret = (secret: string): string[] => {
  const [, scheme, credentials = secret] = /^(\w+)\s+(\S+)$/.exec(secret) ?? [];
  const basic = scheme?.toLowerCase() === "basic" ? decodeBase64(credentials).replace(/^[^:]*:/, "") : "";
  const [, user = ""] = /^[a-z][a-z0-9+.-]*:\/\/([^\s]*)@/i.exec(secret) ?? [];
  // The password may contain an `@` that is not encoded, as may the parameters.
  const longest = user.replace(/^[^:]*:?/, "");
  const passwords = [longest, longest.split("@", 1)[0] ?? ""];
  const cookies = [...secret.matchAll(/(?:^|;\s*)[\w.-]+=([^;\s]+)/g)].map(([, value = ""]) => value);
  return [credentials, basic, ...passwords, ...passwords.map(decodePercent), ...cookies];
};
