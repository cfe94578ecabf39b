import { causeText, CliError, type CliErrorOptions } from "./cli-error.js";

const seeHelp = "Run the command with --help to see its arguments and flags.";

/** The command line is wrong; nothing was sent. */
export const usageError = (message: string, hint = seeHelp, options?: CliErrorOptions): CliError =>
  new CliError("usage", "usage:invalid", message, hint, options);

/** A value does not match the contract. */
export const invalidValue = (what: string, problem: string, hint = seeHelp): CliError =>
  new CliError("usage", "usage:invalid_value", `${what} ${problem}`, hint);

/** A whole body does not match the contract. A newer service may accept it, so the hint names the command that sends it unchecked. */
export const invalidBody = (what: string, problems: readonly string[], request: string): CliError =>
  new CliError(
    "usage",
    "usage:invalid_value",
    `${what}: ${problems.join("; ")}`,
    `Nothing was sent. mgmt api ${request} --input FILE sends a body without this check.`,
  );

/** A value that only the user knows is missing, and nothing was asked. */
export const missingInput = (message: string, hint?: string): CliError =>
  new CliError("inputNeeded", "usage:missing", message, hint);

/** A secret was passed where the process list shows it. The message does not repeat it. */
export const secretInArguments = (flag: string, hint: string): CliError =>
  new CliError(
    "usage",
    "usage:secret_in_arguments",
    `${flag} is a secret and is not accepted on the command line`,
    hint,
  );

/** A program took the quotes of a file literally. The message does not repeat the token. */
export const quotedToken = (from: string): CliError =>
  usageError(
    `${from} has a quote at its start or end, which no token has`,
    "Nothing was sent. Remove the quotes: docker run --env-file, among others, takes them for a part of the value.",
  );

export const unreadableFile = (what: string, path: string, cause: unknown): CliError =>
  new CliError(
    "usage",
    "usage:unreadable_file",
    `${what}: cannot read ${withoutSecret(path)} (${causeText(cause)})`,
    "Pass a file that you can read, or - for standard input.",
  );

/** Shortens a token or a connection string that was passed in place of a path. */
const withoutSecret = (path: string): string => {
  if (/^\w+:\/\//.test(path)) return beginningOf(path);
  return /[/\\]/.test(path) ? path : shortened(path);
};

/** Somebody else's repository could contain a link to a private file, which messages would quote. */
export const linkedFile = (what: string, path: string): CliError =>
  new CliError(
    "usage",
    "usage:linked_file",
    `${what}: ${path} is a symbolic link to a file outside of this folder, which is not followed`,
    "If you trust it, pass the path of the file that it leads to.",
  );

export const badProfileName = (from: string, name: string): CliError =>
  new CliError(
    "usage",
    "usage:invalid_value",
    `${from} cannot be ${JSON.stringify(name)}`,
    "A profile name has up to 64 letters, digits, - _ and . and starts with a letter or digit.",
  );

/** An address has a form that no service can have. The message does not repeat it: it may contain a password. */
export const badAddress = (
  from: string,
  problem: string,
  example = "https://api.example.com or http://127.0.0.1:4300",
): CliError => usageError(`${from} ${problem}`, `Use an address such as ${example}.`);

/** Several resources cannot be variables of the same names. */
export const envOfList = (): CliError =>
  usageError(
    "--output env prints one resource, but this command prints a list",
    "Use --output csv or ndjson.",
  );

/** A field that the result of the command does not have. */
export const unknownField = (field: string, meant: readonly string[], known: readonly string[]): CliError =>
  usageError(
    `--fields: the result has no field ${JSON.stringify(field)}`,
    meant.length > 0 ? `Did you mean ${meant.join(" or ")}?` : `Fields: ${known.join(", ")}.`,
  );

/** A prompt that was not answered. */
export const nothingToChoose = (noun: string): CliError =>
  missingInput(`There is no ${noun} to choose`, `Create one, or pass the id of a ${noun} that you can use.`);

/** Shortens a long word, which may be a token in the wrong place. */
export const shortened = (word: string): string => (word.length > 40 ? beginningOf(word) : word);

const beginningOf = (word: string): string => `${word.slice(0, 8)}…`;
