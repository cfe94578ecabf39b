import { secretFields } from "../generated/secret-fields.js";

const mask = "[redacted]";

/** Names that no contract has to list. Environment variables may hold anything. */
const telling =
  /^(?!.*(hint|type|id|ids|expires\w*)$).*(pass(word|wd)?|secret|token|credential|authorization|cookie|api[-_]?key|signature|env(ironment)?[-_]?var(iable)?s?)/i;

/** A connection string's or an address's password, a bearer token, a JWT. */
const inText: readonly [RegExp, string][] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'@]*@/gi, `$1${mask}@`],
  [/\b([?&](?:code|state|\w*token|\w*key|\w*secret|password|sig(?:nature)?)=)[^&#\s"']*/gi, `$1${mask}`],
  [/\b(bearer\s+)\S+/gi, `$1${mask}`],
  [/\beyJ[\w-]+\.[\w-]+\.?[\w-]*/g, mask],
];

const isSecret = (name: string): boolean => secretFields.has(name) || telling.test(name);

const redactText = (text: string): string =>
  inText.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);

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
