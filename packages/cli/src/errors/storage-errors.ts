import { describeCause, CliError } from "./cli-error.js";

export const corruptProfilesError = (path: string, problem: string): CliError =>
  new CliError(
    "failure",
    "profiles:corrupt",
    `${path} cannot be used: ${problem}`,
    "The file was not changed. Fix it, or move it away and log in again.",
  );

export const unreadableProfilesError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "profiles:unreadable",
    `${path} cannot be read (${describeCause(cause)})`,
    "Allow your user to read it, or set MGMT_CONFIG_DIR to another folder.",
  );

export const untrustedProfilesError = (path: string, problem: string): CliError =>
  new CliError(
    "failure",
    "profiles:untrusted",
    `${path} is not used: ${problem}`,
    "It must be a regular file that belongs to you or root, and nobody else may write to it: check with ls -la. Or set MGMT_CONFIG_DIR to another folder.",
  );

export const unwritableProfilesError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "profiles:unwritable",
    `${path} cannot be written (${describeCause(cause)})`,
    "The file was not changed. Allow your user to write it and its folder, or set MGMT_CONFIG_DIR to another folder.",
  );

/** A refresh has used up the stored login, and its successor could not be written. */
export const unsavedLoginError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "profiles:unwritable",
    `The refreshed login cannot be written to ${path} (${describeCause(cause)})`,
    "Make sure that its disk has free space and works. If the next command needs a login, run mgmt login.",
  );

export const busyProfilesError = (path: string): CliError =>
  new CliError(
    "failure",
    "profiles:busy",
    `${path} is locked by another process`,
    "Nothing was changed. Stop that process, then try again.",
  );

const noPlainTextFallback =
  "Nothing was stored in plain text instead. --store file stores the credential in a file that only you can read.";

export const keyringMissingError = (cause: unknown): CliError =>
  new CliError(
    "failure",
    "keyring:not_installed",
    "The package @napi-rs/keyring, which opens the system keyring, cannot be loaded",
    `Install it next to the CLI, if it has a binary for this system. ${noPlainTextFallback}`,
    { cause },
  );

/** @param folder where the standalone program keeps the library. */
export const keyringNotLoadedError = (folder: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "keyring:not_installed",
    `The library that opens the system keyring cannot be loaded (${describeCause(cause)})`,
    `Allow your user to write ${folder}, and the system to run programs there. ${noPlainTextFallback}`,
    { cause },
  );

export const keyringUnavailableError = (cause: unknown): CliError =>
  new CliError(
    "failure",
    "keyring:unavailable",
    `The system keyring cannot be used (${describeCause(cause)})`,
    `Unlock it. On Linux a Secret Service such as gnome-keyring or KWallet must be running. ${noPlainTextFallback}`,
    { cause },
  );

export const corruptKeyringError = (account: string, problem: string): CliError =>
  new CliError(
    "failure",
    "keyring:corrupt",
    `The keyring entry ${JSON.stringify(account)} cannot be used: ${problem}`,
    "The entry was not changed. mgmt login --store keyring replaces it.",
  );

export const corruptLinkError = (path: string, problem: string): CliError =>
  new CliError(
    "failure",
    "link:corrupt",
    `${path} cannot be used: ${problem}`,
    "Fix it, or remove it with mgmt unlink.",
  );

export const unreadableLinkError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "link:unreadable",
    `${path} cannot be read (${describeCause(cause)})`,
    "Allow your user to read it, or remove it with mgmt unlink.",
  );

export const unwritableLinkError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "link:unwritable",
    `${path} cannot be changed (${describeCause(cause)})`,
    "Allow your user to write it and its folder.",
  );

export const unwritableGitignoreError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "gitignore:unwritable",
    `${path} cannot be changed (${describeCause(cause)})`,
    "Change it yourself, and run the command again with --no-gitignore.",
  );

export const linkTargetNotFoundError = (resourceType: "workspace" | "project", idOrName: string): CliError =>
  new CliError(
    "notFound",
    "link:not_found",
    `No ${resourceType} that you can access has the id or name ${JSON.stringify(idOrName)}`,
    `The folder was not linked. Pass an id or a name that mgmt ${resourceType}s list shows, or --no-verify to link it anyway.`,
    { next: [["mgmt", `${resourceType}s`, "list"]] },
  );

export const secretFileExistsError = (path: string): CliError =>
  new CliError(
    "usage",
    "secret_file:exists",
    `${path} exists already, and --secret-file does not overwrite a file`,
    "Nothing was sent. Pass the path of a new file.",
  );

export const unwritableSecretFileError = (file: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "secret_file:unwritable",
    `${file} cannot be written (${describeCause(cause)})`,
    "Pass a path in a folder that you can write to, on a disk with free space.",
  );

/**
 * The file could not be written after the service had created secrets, which it returns only once.
 *
 * @param connectionIds ids of the connections whose passwords are lost.
 */
export const lostSecretsError = (
  path: string,
  connectionIds: readonly string[],
  cause: unknown,
): CliError => {
  const ids = [...new Set(connectionIds)];
  const rotateCommands = ids.map((id) => ["mgmt", "connections", "rotate", id, "--secret-file", "PATH"]);
  return new CliError(
    "failure",
    "secret_file:secrets_lost",
    `${path} could not be written (${describeCause(cause)}), and the new secrets are lost`,
    rotateCommands.length > 0
      ? `The service does not show them again. Free some space, then create new passwords: ${rotateCommands.map((words) => words.join(" ")).join("; ")}`
      : "The service does not show them again. Free some space, delete what was created, and create it again.",
    { next: ids.map((id) => ["mgmt", "connections", "rotate", id]) },
  );
};

export const unwritableFileError = (path: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "file:unwritable",
    `${path} cannot be written (${describeCause(cause)})`,
    "Pass a path in a folder that you can write to.",
  );
