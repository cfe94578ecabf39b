import { CliError } from "./cli-error.js";

/** The message does not repeat the text, which may be a secret. */
export const notUtf8Error = (inputName: string, source: string, line: number): CliError =>
  new CliError(
    "usage",
    "usage:not_utf8",
    `${inputName}: ${source} is not UTF-8 (line ${line})`,
    "Nothing was sent. Save it as UTF-8, for example with your editor or iconv.",
  );
