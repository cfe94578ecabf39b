import { describeCause, CliError } from "./cli-error.js";

/** A command would create a secret that is shown only once, and not print it. */
export const secretsNotShownError = (reason: string): CliError =>
  new CliError(
    "usage",
    "secrets:not_shown",
    `The new secrets would be lost: ${reason}`,
    "Nothing was sent. Pass --secret-file PATH to write them to a file, or --show-secrets with --output json to print them.",
  );

/**
 * A command whose whole result is a secret would print it where it must not be.
 *
 * @param fileFlag the flag that writes it to a file.
 * @param reason why it must not be printed, as a clause.
 */
export const secretInLogError = (secretLabel: string, fileFlag: string, reason: string): CliError =>
  new CliError(
    "usage",
    "secrets:in_log",
    `${secretLabel} is a secret, and ${reason}`,
    `Pass ${fileFlag} PATH or, in GitHub Actions, --github-env NAME. --show-secrets prints it anyway.`,
  );

export const notInGitHubActionsError = (flag: string, variable: string): CliError =>
  new CliError(
    "usage",
    "github:not_running",
    `${flag} works only in GitHub Actions, which sets ${variable}`,
    "Nothing was sent. Elsewhere, pass --secret-file PATH, or --file PATH with mgmt env, to write the secrets to a file.",
  );

/** A variable of this name would change how later programs run. */
export const reservedVariableError = (flag: string, name: string): CliError =>
  new CliError(
    "usage",
    "variable:reserved",
    `${flag} cannot be ${name}, which changes how programs run`,
    "Nothing was sent. Choose another name, such as DATABASE_URL.",
  );

export const unwritableVariableFileError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "variable:unwritable",
    `${path} cannot be written (${describeCause(cause)})`,
    "Nothing was sent. Check the path and its permissions.",
  );

/** The result has no secret that a variable could be set to. */
export const noSecretForVariableError = (): CliError =>
  new CliError(
    "failure",
    "variable:no_secret",
    "The result has no connection string or other secret, so no variable was set",
    "The command itself succeeded, and its result is printed.",
  );
