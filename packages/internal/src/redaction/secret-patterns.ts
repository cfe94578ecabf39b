import { isSecretField } from "../generated/field-names.js";
import { decodeBase64 } from "../text/encodings.js";
import { secretMask } from "./secret-mask.js";

/** Replaces the secrets of one form in a string. */
type RedactionRule = (text: string) => string;

const createReplacingRule =
  (pattern: RegExp, replacement: string): RedactionRule =>
  (text) =>
    text.replace(pattern, replacement);

/**
 * Masks values after the names of secrets.
 *
 * @param headPattern matches a name, its first group, and the separator before the value.
 * @param valuePattern matches the value there, and is sticky. A function returns where the value ends.
 */
const createNamedValueRule = (
  headPattern: RegExp,
  valuePattern: RegExp | ((text: string, start: number, match: RegExpExecArray) => number),
  isSecret: (name: string) => boolean = isSecretField,
): RedactionRule => {
  const findEnd = (text: string, start: number, match: RegExpExecArray): number => {
    if (typeof valuePattern === "function") return valuePattern(text, start, match);
    valuePattern.lastIndex = start;
    return valuePattern.test(text) ? valuePattern.lastIndex : start;
  };
  return (text) => {
    let output = "";
    let position = 0;
    headPattern.lastIndex = 0;
    // A value that is not masked may contain another name.
    for (let match = headPattern.exec(text); match; match = headPattern.exec(text)) {
      if (!isSecret(match[1] ?? "")) continue;
      const start = headPattern.lastIndex;
      const end = findEnd(text, start, match);
      if (end === start || text.startsWith(secretMask, start)) continue;
      output += text.slice(position, start) + secretMask;
      position = end;
      headPattern.lastIndex = end;
    }
    return output + text.slice(position);
  };
};

/** Returns where a quoted value ends: at a quote with as many backslashes as the first one, which is the second group of the head. */
const findQuoteEnd = (text: string, start: number, [, , quote = '"']: RegExpExecArray): number => {
  for (let end = text.indexOf(quote, start); end >= 0; end = text.indexOf(quote, end + 1)) {
    if (end === start || text[end - 1] !== "\\") return end;
  }
  return text.length;
};

/** Masks the part before the host of a URL: in a connection string, up to the last `@`, because passwords may contain others. */
const urlCredentialsRule: RedactionRule = (text) => {
  const schemePattern = /\b([a-z][a-z0-9+.-]{0,30}):\/\//gi;
  const webAuthorityPattern = /[^\s"'/?#]*/y;
  const otherAuthorityPattern = /[^\s"']*/y;
  let output = "";
  let position = 0;
  for (let match = schemePattern.exec(text); match; match = schemePattern.exec(text)) {
    const start = schemePattern.lastIndex;
    const authorityPattern = /^https?$/i.test(match[1] ?? "") ? webAuthorityPattern : otherAuthorityPattern;
    authorityPattern.lastIndex = start;
    authorityPattern.test(text);
    const atIndex = text.slice(start, authorityPattern.lastIndex).lastIndexOf("@");
    // Without an `@` here, there is none in a URL that starts later here either.
    schemePattern.lastIndex = atIndex < 0 ? authorityPattern.lastIndex : start + atIndex;
    if (atIndex < 0) continue;
    output += text.slice(position, start) + secretMask;
    position = start + atIndex;
  }
  return output + text.slice(position);
};

/** Values after a colon that describe a secret: `token: expired`. */
const plainWordPattern =
  "required|missing|invalid|expired|unknown|wrong|revoked|malformed|true|false|null|none|undefined|empty|string|number|not";
/** An id of the API, which is not a secret. */
const idPattern = "[a-z]{2,8}_[a-z0-9]{24}\\b";

/** Returns whether a name is the name of an OAuth or SAML parameter whose value is a secret in any text. */
const isSecretAnywhere = (name: string): boolean =>
  /^(?:(?:device|user)_code|id_token_hint|SAMLResponse)$/i.test(name) || isSecretField(name);

/** Returns whether a name means a secret as a query parameter, although a field of this name would be harmless. */
const isSecretParameter = (name: string): boolean =>
  /^(?:code|state|nonce|sig|sid|ticket|session|auth|key)$/i.test(name) || isSecretAnywhere(name);

/**
 * Secrets that are recognized in any text by their form. Applying the rules twice changes nothing more. Each repetition is
 * bounded, or starts where no other attempt does, so that the time is in proportion to the length of the text.
 */
const anywhereRules: readonly RedactionRule[] = [
  // PEM blocks, except public ones.
  createReplacingRule(
    /-{4,5} ?BEGIN (?!(?:[A-Z0-9 ]{0,40} )?(?:PUBLIC KEY|CERTIFICATE(?: REQUEST)?) ?-)[A-Z0-9 ]{1,60}-{4,5}[^]*?(?:-{4,5} ?END [A-Z0-9 ]{1,60}-{4,5}|$)/g,
    secretMask,
  ),
  // Headers, except placeholders such as `Authorization: Bearer <token>`.
  createReplacingRule(
    /(?<![\w-])((?:set-)?cookie2?|(?:proxy-)?authorization|authentication-info|x-[\w-]{0,60}(?:token|key|secret))(\s{0,99}:\s{0,99})(?!(?:\w{1,20} )?<[\w -]{1,60}>)[^\s][^\r\n]*/gi,
    `$1$2${secretMask}`,
  ),
  urlCredentialsRule,
  // Parameters of a query, a fragment or a form.
  createNamedValueRule(/[?&#;]([\w.[\]-]{1,100})=/g, /[^&#\s"']+/y, isSecretParameter),
  createNamedValueRule(/(?<![\w.-])([\w.-]{1,100})=/g, /[^&#\s"'=]+={0,2}(?=&\w)/y, isSecretParameter),
  // Quoted values: in embedded JSON, in program code, and libpq's `password='…'`.
  createNamedValueRule(
    /(?<![\w.-])([\w.-]{1,100})(?:\\{0,8}["'`])?\s{0,99}(?:=>|[:=])\s{0,99}[a-zA-Z]{0,2}(\\{0,8}["'`])/g,
    findQuoteEnd,
  ),
  // Numbers in embedded JSON.
  createNamedValueRule(/(?<!\\)\\{0,8}["']([\w.-]{1,100})\\{0,8}["']\s{0,99}:\s{0,99}(?=\d)/g, /\d+/y),
  // Unquoted, as in libpq's `password=…` and `PGPASSWORD=…`.
  createNamedValueRule(
    /(?<![\w.?&#-])([\w.-]{1,100})\s{0,99}=\s{0,99}(?!\\*["'`])/g,
    /(?:(?:Basic|Bearer|Token|Digest)\s{1,9})?(?:\\[^]|[^\s\\])+/iy,
    isSecretAnywhere,
  ),
  // A block of YAML, and a line of it.
  createNamedValueRule(
    /(?<![\w.-])([\w.-]{1,100}):[ \t]{1,99}(?=[|>])/g,
    /[|>][+-]?\d?[ \t]*(?:\r?\n[ \t]+[^\r\n]*)+/y,
  ),
  createNamedValueRule(
    /^[ \t]{0,99}(?:- )?([\w.-]{1,100}):[ \t]{1,99}/gm,
    new RegExp(`(?!["'\`&*!<[{|>]|(?:${plainWordPattern})\\b)[^\\s]+(?=[ \\t]*(?:[\\r\\n]|$))`, "y"),
  ),
  // Inside a line, only values that do not look like a word: `token: expired` means that a token has expired.
  createNamedValueRule(
    /(?<![\w.-])([\w.-]{1,100}):\s{0,9}/g,
    new RegExp(
      `(?!["'\`]|${idPattern})(?=[^\\s\\d+/=~!@#$%^&*]{0,200}[\\d+/=~!@#$%^&*])[^\\s"'\`,;<>[\\]{}()][^\\s"'\`,;<>]{3,}`,
      "y",
    ),
  ),
  // Flags of a command line.
  createNamedValueRule(/(?<![\w-])--?([\w-]{1,100})[ \t]{1,9}(?![-<[])/g, /"[^"]*"?|'[^']*'?|[^\s]+/y),
  createReplacingRule(/(?<![\w-])((?:-u|--user)[ \t]{1,9}["']?[^\s:"']{1,200}:)[^\s"']+/g, `$1${secretMask}`),
  // Elements of XML.
  createNamedValueRule(/<([\w.:-]{1,100})(?:\s[^<>]{0,500})?>/g, /[^<]+(?=<\/)/y),
  // SQL, `.netrc` and `.pgpass`.
  createReplacingRule(
    /\b((?:password|identified by)\s{1,9}E?')(?!\[redacted)(?:[^']|'')*/gi,
    `$1${secretMask}`,
  ),
  createReplacingRule(/\b(login\s{1,9}\S{1,200}\s{1,9}password\s{1,9})\S+/gi, `$1${secretMask}`),
  createReplacingRule(
    /(?<![\w.*-])([\w.*-]{1,255}:(?:\d{2,5}|\*):[A-Za-z_*][\w-]{0,63}:[\w*.-]{1,63}:)(?![\s[])[^\s"']+/g,
    `$1${secretMask}`,
  ),
  // Prose: `the token is 3f8a…`.
  createReplacingRule(
    new RegExp(
      `\\b((?:token|password|secret|passphrase|passcode|api key|private key)(?:\\s{1,9}(?:is|was))?:?\\s{1,9})(?!${idPattern})(?=[^\\s\\d]{0,200}\\d)(?![\\w+.-]{1,30}://)[^\\s"'<>[\\]{}()]{12,}`,
      "gi",
    ),
    `$1${secretMask}`,
  ),
  // A JSON web token.
  createReplacingRule(/\beyJ[\w-]{1,4096}\.[\w-]+\.?[\w-]*/g, secretMask),
  // Credentials after the scheme of a header.
  (text) =>
    text.replace(/\b(basic\s{1,9})([\w+/-]{4,}={0,2})/gi, (match, scheme: string, credentials: string) =>
      decodeBase64(credentials).includes(":") ? `${scheme}${secretMask}` : match,
    ),
  createReplacingRule(
    /\b((?:Digest|Negotiate|NTLM)\s{1,9})(?=[A-Za-z+/]{0,200}\d)[\w+/-]{16,}={0,2}/g,
    `$1${secretMask}`,
  ),
];

/** Pattern for values of fields, headers, and URLs: the word after "bearer" is a token. */
export const fieldTextRules: readonly RedactionRule[] = [
  ...anywhereRules,
  createReplacingRule(/\b(bearer\s{1,9})(?!<)\S+/gi, `$1${secretMask}`),
];

/** A message may contain the words "bearer token"; only strings that look like a token are masked. */
export const messageRules: readonly RedactionRule[] = [
  ...anywhereRules,
  createReplacingRule(/\b(bearer\s{1,9})[\w.~+/-]{12,}=*/gi, `$1${secretMask}`),
];

/** Returns a text with what the rules find replaced, also where it is written in full-width characters. */
export const applyRules = (text: string, rules: readonly RedactionRule[]): string => {
  const maskedText = rules.reduce((currentText, rule) => rule(currentText), text);
  const narrowText = maskedText.replace(/[\uff01-\uff5e]/g, (wideCharacter) =>
    String.fromCharCode(wideCharacter.charCodeAt(0) - 0xfee0),
  );
  if (narrowText === maskedText) return maskedText;
  // Punctuation of other scripts stays as it is, unless the text has a secret.
  const maskedNarrowText = applyRules(narrowText, rules);
  return maskedNarrowText === narrowText ? maskedText : maskedNarrowText;
};
