import { secretFields } from "../generated/secret-fields.js";

const mask = "[redacted]";

/** Names that no contract has to list. Environment variables may hold anything. */
const telling =
  /^(?!.*(hint|type|id|ids|expires\w*)$).*(pass(word|wd)?|secret|token|credential|authorization|cookie|api[-_]?key|signature|env(ironment)?[-_]?var(iable)?s?)/i;

type Pattern = readonly [RegExp, string];

/** A connection string's or an address's password, also one with a raw `/` or `@` in it, a secret in a query, a JWT. */
const inProse: readonly Pattern[] = [
  [/\b(?!https?:)([a-z][a-z0-9+.-]*:\/\/)[^\s"'@]*@(?:[^\s"'@]*@)*/gi, `$1${mask}@`],
  [/\b(https?:\/\/)[^\s/?#"'@]*@/gi, `$1${mask}@`],
  [/([?&](?:code|state|\w*token|\w*key|\w*secret|password|sig(?:nature)?)=)[^&#\s"']*/gi, `$1${mask}`],
  [/\beyJ[\w-]+\.[\w-]+\.?[\w-]*/g, mask],
];
const inText: readonly Pattern[] = [...inProse, [/\b(bearer\s+)\S+/gi, `$1${mask}`]];
/** Prose may well speak of a "bearer token": what is masked there looks like one. */
const inMessage: readonly Pattern[] = [...inProse, [/\b(bearer\s+)[\w.~+/-]{12,}=*/gi, `$1${mask}`]];

const isSecret = (name: string): boolean => secretFields.has(name) || telling.test(name);

const redactText = (text: string, patterns = inText): string =>
  patterns.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);

/** What the service says to people: something in the way may quote the request in it. */
export const redactMessage = (text: string): string => redactText(text, inMessage);

export const redactUrl = (url: string): string => redactText(url);

export const redactHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecret(name) ? mask : redactText(value)]),
  );

/** The body as JSON, secrets masked; of anything else only its length, for nothing is known of it. */
export const redactBody = (body: string): unknown => {
  try {
    return redactValue(JSON.parse(body));
  } catch {
    return `${body.length} characters that are no JSON`;
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

/** A list or an object under such a name is looked into, unless its members have names of the user's own. */
const isNested = (name: string, value: unknown): boolean =>
  typeof value === "object" && !/env/i.test(name) && !secretFields.has(name);
