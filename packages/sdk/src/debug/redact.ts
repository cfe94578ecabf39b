import { secretFields } from "../generated/secret-fields.js";

const mask = "[redacted]";

/** Names of secrets that the contract does not list. Environment variables may hold anything. */
const secretName =
  /^(?!.*(hint|type|id|ids|expires\w*)$).*(pass(word|wd)?|secret|token|credential|authorization|cookie|api[-_]?key|signature|env(ironment)?[-_]?var(iable)?s?)/i;

type Pattern = readonly [RegExp, string];

/** The password of a connection string or URL, even with a raw `/` or `@` in it, a secret in a query, or a JWT. */
const anywhere: readonly Pattern[] = [
  [/\b(?!https?:)([a-z][a-z0-9+.-]*:\/\/)[^\s"'@]*@(?:[^\s"'@]*@)*/gi, `$1${mask}@`],
  [/\b(https?:\/\/)[^\s/?#"'@]*@/gi, `$1${mask}@`],
  [/([?&](?:code|state|\w*token|\w*key|\w*secret|password|sig(?:nature)?)=)[^&#\s"']*/gi, `$1${mask}`],
  [/\beyJ[\w-]+\.[\w-]+\.?[\w-]*/g, mask],
];
const inValues: readonly Pattern[] = [...anywhere, [/\b(bearer\s+)\S+/gi, `$1${mask}`]];
/** A message may contain the words "bearer token"; only what looks like a token is masked. */
const inMessages: readonly Pattern[] = [...anywhere, [/\b(bearer\s+)[\w.~+/-]{12,}=*/gi, `$1${mask}`]];

const isSecret = (name: string): boolean => secretFields.has(name) || secretName.test(name);

const redactText = (text: string, patterns = inValues): string =>
  patterns.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);

/** Masks secrets in a message of the service: a proxy may have quoted the request in it. */
export const redactMessage = (text: string): string => redactText(text, inMessages);

/**
 * Masks the secrets in a URL: passwords, tokens, and query parameters with names such as `code` or `apikey`. Returns the
 * URL as text.
 */
export const redactUrl = (url: string): string => redactText(url);

/** Masks the secrets in headers: those with names such as `authorization`, and tokens in other values. Returns a copy. */
export const redactHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecret(name) ? mask : redactText(value)]),
  );

/**
 * Masks the secrets in a JSON body: the fields that the contract marks as secret, fields with names such as `password`, and
 * connection strings and tokens in other values. Returns the parsed value. Of a body that is not JSON, returns only its
 * length, in words.
 */
export const redactBody = (body: string): unknown => {
  try {
    return redactValue(JSON.parse(body));
  } catch {
    return `${body.length} characters that are not JSON`;
  }
};

const redactValue = (value: unknown): unknown => {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name) && inner !== null && !isNested(name, inner) ? mask : redactValue(inner),
    ]),
  );
};

/** Whether to redact the members one by one; not when their names are the user's own, as in environment variables. */
const isNested = (name: string, value: unknown): boolean =>
  typeof value === "object" && !/env/i.test(name) && !secretFields.has(name);
