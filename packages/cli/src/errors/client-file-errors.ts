import { CliError, describeCause } from "./cli-error.js";

/** Line and column start at 1. */
export const brokenClientFileError = (
  path: string,
  { line, column }: { readonly line: number; readonly column: number },
  problem: string,
): CliError =>
  new CliError(
    "failure",
    "client_file:invalid",
    `${path} cannot be changed, because of line ${String(line)}, column ${String(column)}: ${problem}`,
    "The file was not changed. Correct the line, then run the command again.",
  );

export const undecodableClientFileError = (path: string): CliError =>
  new CliError(
    "failure",
    "client_file:undecodable",
    `${path} cannot be changed, because it is not UTF-8`,
    "The file was not changed. Save it as UTF-8, then run the command again.",
  );

/** A link in a repository may point to any file of the user. */
export const linkedClientFileError = (path: string): CliError =>
  new CliError(
    "failure",
    "client_file:linked",
    `${path} has a symbolic link in it that leads out of this folder, which is not followed`,
    "Nothing was changed. Replace the link by a file or a folder, or pass --scope user.",
  );

export const unreadableClientFileError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "client_file:unreadable",
    `${path} cannot be read (${describeCause(cause)})`,
    "Nothing was changed. It must be a file that your user can read.",
  );

export const unwritableClientFileError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "client_file:unwritable",
    `${path} cannot be changed (${describeCause(cause)})`,
    "The file was not changed. Allow your user to write it and its folder.",
  );

/** Another program has written the file since the question. */
export const changedClientFileError = (path: string): CliError =>
  new CliError(
    "failure",
    "client_file:changed",
    `${path} is different from when you were asked`,
    "The file was not changed. Run the command again.",
  );
