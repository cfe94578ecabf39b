import { isSecretField } from "../generated/secret-fields.js";
import { decodeBase64 } from "./encodings.js";

export const mask = "[redacted]";

type Replacement = string | ((match: string, ...groups: string[]) => string);
export type Pattern = readonly [RegExp, Replacement];

/**
 * Secrets that are recognized in any text by their form. Applying the patterns twice changes nothing more. Repetitions are
 * bounded where a long text could otherwise be scanned from each of its positions.
 */
const anywhere: readonly Pattern[] = [
  [/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, mask],
  // Headers in a text, except placeholders such as `Authorization: Bearer <token>`.
  [
    /(?<![\w-])((?:set-)?cookie2?|(?:proxy-)?authorization|x-[\w-]{0,60}(?:token|key|secret))(\s*:\s*)(?!(?:\w+ )?<[\w -]+>)[^\s][^\r\n]*/gi,
    `$1$2${mask}`,
  ],
  // The password of a connection string or URL, even with a raw `/` or `@` in it.
  [/\b(?!https?:)([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'@]{0,4096}@(?:[^\s"'@]{0,4096}@)*/gi, `$1${mask}@`],
  [/\b(https?:\/\/)[^\s/?#"'@]{0,4096}@/gi, `$1${mask}@`],
  [
    /([?&#](?:code|state|sig|(?:\w*_)?pin|\w*(?:token|key|secret|signature|pass|pwd|password|passphrase))=)[^&#\s"']*/gi,
    `$1${mask}`,
  ],
  // Fields of JSON inside a text, and libpq's `password='…'`. A quoted value ends at a quote with as many backslashes.
  [
    /(?<![\w.-])([\w.-]{0,60}(?:pass|pwd|secret|token|credential|key|signature|cookie|authorization|connectionString|uploadUrl|pin)[\w.-]{0,60})((?:\\{0,8}["'])?\s*[:=]\s*)(\\*["'])(?!\[redacted\])[\s\S]*?(?:(?<!\\)\3|$)/gi,
    (match, name = "", separator = "", quote = "") =>
      isSecretField(name) ? `${name}${separator}${quote}${mask}${quote}` : match,
  ],
  // Numbers of JSON inside a text.
  [
    /(?<!\\)(\\*["'])([\w.-]{1,100})(\1\s*:\s*)(\d+)/g,
    (match, quote = "", name = "", separator = "") =>
      isSecretField(name) ? `${quote}${name}${separator}${mask}` : match,
  ],
  // Unquoted, as in libpq's `password=…` and `PGPASSWORD=…`.
  [
    /(?<![\w.?&#-])([\w.-]{0,60}(?:pass|pwd|secret|token|credential|key|signature|pin)[\w.-]{0,60})(\s*=\s*)(?!\\*["']|\[redacted\])(?:\\[\s\S]|[^\s\\])+/gi,
    (match, name = "", separator = "") => (isSecretField(name) ? `${name}${separator}${mask}` : match),
  ],
  // A JSON web token.
  [/\beyJ[\w-]{1,4096}\.[\w-]+\.?[\w-]*/g, mask],
  [
    /\b(basic\s+)([\w+/-]{4,}={0,2})/gi,
    (match, scheme = "", credentials = "") =>
      decodeBase64(credentials).includes(":") ? `${scheme}${mask}` : match,
  ],
];

export const inValues: readonly Pattern[] = [...anywhere, [/\b(bearer\s+)\S+/gi, `$1${mask}`]];

/** A message may contain the words "bearer token"; only what looks like a token is masked. */
export const inMessages: readonly Pattern[] = [...anywhere, [/\b(bearer\s+)[\w.~+/-]{12,}=*/gi, `$1${mask}`]];

export const applyPatterns = (text: string, patterns: readonly Pattern[]): string =>
  patterns.reduce(
    (clean, [pattern, replacement]) =>
      typeof replacement === "string"
        ? clean.replace(pattern, replacement)
        : clean.replace(pattern, replacement),
    text,
  );
