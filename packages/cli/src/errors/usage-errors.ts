import { addArticle } from "@mgmt/internal/text/article";
import { describeCause, CliError, type CliErrorOptions } from "./cli-error.js";

const helpHint = "Run the command with --help to see its arguments and flags.";

/** The command line is wrong; nothing was sent. */
export const usageError = (message: string, hint = helpHint, options?: CliErrorOptions): CliError =>
  new CliError("usage", "usage:invalid", message, hint, options);

/** A value does not match the contract. */
export const invalidValueError = (label: string, problem: string, hint = helpHint): CliError =>
  new CliError("usage", "usage:invalid_value", `${label} ${problem}`, hint);

/** A whole body does not match the contract. A newer service may accept it, so the hint names the command that sends it unchecked. */
export const invalidBodyError = (label: string, problems: readonly string[], request: string): CliError =>
  new CliError(
    "usage",
    "usage:invalid_value",
    `${label}: ${problems.join("; ")}`,
    `Nothing was sent. mgmt api ${request} --input FILE sends a body without this check.`,
  );

/** A value that only the user knows is missing, and nothing was asked. */
export const missingInputError = (message: string, hint?: string): CliError =>
  new CliError("inputNeeded", "usage:missing", message, hint);

/** A secret was passed where the process list shows it. The message does not repeat it. */
export const secretInArgumentsError = (flag: string, hint: string): CliError =>
  new CliError(
    "usage",
    "usage:secret_in_arguments",
    `${flag} is a secret and is not accepted on the command line`,
    hint,
  );

/** A program took the quotes of a file literally. The message does not repeat the token. */
export const quotedTokenError = (source: string): CliError =>
  usageError(
    `${source} has a quote at its start or end, which no token has`,
    "Nothing was sent. Remove the quotes: docker run --env-file, among others, takes them for a part of the value.",
  );

export const unreadableFileError = (label: string, path: string, cause: unknown): CliError =>
  new CliError(
    "usage",
    "usage:unreadable_file",
    `${label}: cannot read ${shortenSecretPath(path)} (${describeCause(cause)})`,
    "Pass a file that you can read, or - for standard input.",
  );

/** Shortens a token or a connection string that was passed instead of a path. */
const shortenSecretPath = (path: string): string => {
  if (/^\w+:\/\//.test(path)) return truncateWord(path);
  return /[/\\]/.test(path) ? path : shortenWord(path);
};

/** Another user's repository could contain a link to a private file, which messages would quote. */
export const linkedFileError = (label: string, path: string): CliError =>
  new CliError(
    "usage",
    "usage:linked_file",
    `${label}: ${path} is a symbolic link to a file outside of this folder, which is not followed`,
    "If you trust it, pass the path of the file that it leads to.",
  );

export const invalidProfileNameError = (source: string, name: string): CliError =>
  new CliError(
    "usage",
    "usage:invalid_value",
    `${source} cannot be ${JSON.stringify(name)}`,
    "A profile name has up to 64 letters, digits, - _ and . and starts with a letter or digit.",
  );

/** A URL has a form that no service can have. The message does not repeat it: it may contain a password. */
export const invalidUrlError = (
  source: string,
  problem: string,
  example = "https://api.example.com or http://127.0.0.1:4300",
): CliError => usageError(`${source} ${problem}`, `Use a URL such as ${example}.`);

/** Several resources cannot be variables of the same names. */
export const envOfListError = (): CliError =>
  usageError(
    "--output env prints one resource, but this command prints a list",
    "Use --output csv or ndjson.",
  );

/** A field that the result of the command does not have. */
export const unknownFieldError = (
  field: string,
  similarNames: readonly string[],
  fieldNames: readonly string[],
): CliError =>
  usageError(
    `--fields: the result has no field ${JSON.stringify(field)}`,
    similarNames.length > 0
      ? `Did you mean ${similarNames.join(" or ")}?`
      : `Fields: ${fieldNames.join(", ")}.`,
  );

/** A prompt that was not answered. */
export const nothingToChooseError = (noun: string): CliError =>
  missingInputError(
    `There is no ${noun} to choose`,
    `Create one, or pass the id of ${addArticle(noun)} that you can use.`,
  );

/** Shortens a long word, which may be a token in the wrong place. */
export const shortenWord = (word: string): string => (word.length > 40 ? truncateWord(word) : word);

const truncateWord = (word: string): string => `${word.slice(0, 8)}…`;
