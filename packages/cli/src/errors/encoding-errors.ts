import { CliError } from "./cli-error.js";

const encodingHint = "Nothing was sent. Save it as UTF-8, for example with your editor or iconv.";

/** The text starts with the byte order mark of UTF-16, as texts from PowerShell and Notepad may. */
export const utf16Error = (inputName: string, source: string): CliError =>
  new CliError("usage", "usage:not_utf8", `${inputName}: ${source} is UTF-16, not UTF-8`, encodingHint);

/** The message does not repeat the text, which may be a secret. */
export const notUtf8Error = (inputName: string, source: string, line: number): CliError =>
  new CliError(
    "usage",
    "usage:not_utf8",
    `${inputName}: ${source} is not UTF-8 (line ${line})`,
    encodingHint,
  );
