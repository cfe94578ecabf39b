import { escapeSingleQuotes } from "../text/shell-word.js";
import type { Context } from "../input/context.js";
import { detectCiSystem } from "../system/ci-system.js";

/** Shorter strings are not secrets, and hiding them would make the log unreadable. */
const minSecretLength = 4;

/**
 * Makes the CI system that runs this command hide secrets in the rest of its log, if it can. Call it before they are printed,
 * written into a file, or passed to a program. The lines go to standard error, which the systems read as well: standard output
 * may be captured by a program.
 */
export const maskInLog = (
  secrets: readonly string[],
  { env, output }: Pick<Context, "env" | "output">,
): void => {
  const maskLine = detectCiSystem(env)?.maskLine;
  if (!maskLine) return;
  // Logs have lines: a mask with a line break would match nothing.
  const secretLines = secrets.flatMap(listSpellings).flatMap((spelling) => spelling.split(/[\r\n]+/));
  for (const secretLine of new Set(secretLines)) {
    if (secretLine.trim().length >= minSecretLength) output.writeCiCommand(maskLine(secretLine));
  }
};

/** Returns the forms in which a secret may be printed: in a URL, in JSON, in CSV, and in quotes of a shell or of YAML. */
const listSpellings = (secret: string): string[] => [
  ...[secret, ...extractCredentials(secret)].flatMap((spelling) => [spelling, encodeURIComponent(spelling)]),
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll('"', '""'),
  escapeSingleQuotes(secret),
  secret.replaceAll("'", "''"),
];

/** Returns the password in a connection string, and the credentials in its query, encoded and decoded. */
const extractCredentials = (secret: string): string[] => {
  if (!URL.canParse(secret)) return [];
  const url = new URL(secret);
  const credentials = [...url.searchParams]
    .filter(([name]) => /key|pass|secret|sig|token/i.test(name))
    .map(([, value]) => value);
  return [url.password, decodeComponentIfValid(url.password), ...credentials];
};

const decodeComponentIfValid = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
