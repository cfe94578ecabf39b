import type { ExitReason } from "./exit-codes.js";

/** Whatever the command itself finds wrong; answers of the service are the SDK's `ApiError`. */
export class CliError extends Error {
  override readonly name = "CliError";

  constructor(
    readonly reason: ExitReason,
    /** `noun:reason`, stable. */
    readonly code: string,
    message: string,
    readonly hint?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const seeHelp = "--help behind a command shows what it takes.";

/** The command line does not fit; nothing was sent. */
export const usageError = (message: string, hint = seeHelp): CliError =>
  new CliError("usage", "usage:invalid", message, hint);

/** A value does not fit what the contract allows for it. */
export const invalidValue = (what: string, problem: string, hint = seeHelp): CliError =>
  new CliError("usage", "usage:invalid_value", `${what} ${problem}`, hint);

export const missingInput = (message: string, hint?: string): CliError =>
  new CliError("usage", "usage:missing", message, hint);

/** A secret would have stood in the process list. The message never repeats it. */
export const secretInArguments = (flag: string, hint: string): CliError =>
  new CliError(
    "usage",
    "usage:secret_in_arguments",
    `${flag} is a secret and is not taken from the command line`,
    hint,
  );

export const unreadableFile = (what: string, path: string, cause: unknown): CliError =>
  new CliError(
    "usage",
    "usage:unreadable_file",
    `${what}: cannot read ${path} (${reasonOf(cause)})`,
    "Name a file that you may read, or - for standard input.",
  );

export const noToken = (): CliError =>
  new CliError(
    "notAuthenticated",
    "auth:no_token",
    "There is no token to authenticate with",
    "Log in with mgmt login, set MGMT_TOKEN, or pass --token-file PATH. `mgmt dev` runs the service on this machine and prints a token for it.",
  );

export const noBaseUrl = (): CliError =>
  new CliError(
    "usage",
    "usage:no_base_url",
    "The address of the service is not set",
    "Set MGMT_BASE_URL, or pass --base-url or --profile. `mgmt dev` runs the service on this machine, as profile local.",
  );

export const corruptProfiles = (file: string, problem: string): CliError =>
  new CliError(
    "failure",
    "profiles:corrupt",
    `${file} cannot be used: ${problem}`,
    "It was left as it is. Mend it, or move it away and log in again.",
  );

export const unreadableProfiles = (file: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "profiles:unreadable",
    `${file} cannot be read (${reasonOf(cause)})`,
    "Give this user the right to read it, or set MGMT_CONFIG_DIR to another folder.",
  );

export const unwritableProfiles = (file: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "profiles:unwritable",
    `${file} cannot be written (${reasonOf(cause)})`,
    "What was in it is still there. Give this user the right to write it and its folder, or set MGMT_CONFIG_DIR.",
  );

export const busyProfiles = (file: string): CliError =>
  new CliError(
    "failure",
    "profiles:busy",
    `${file} is being changed by another process, which does not end`,
    "End that process, and try again. Nothing was changed.",
  );

const withoutKeyring =
  "Nothing was kept in plain text in its place. --store file keeps the credential in a file that only this user can read.";

export const keyringMissing = (cause: unknown): CliError =>
  new CliError(
    "failure",
    "keyring:not_installed",
    "The package @napi-rs/keyring, which opens the keyring of the system, cannot be loaded",
    `Install it next to the CLI, where there is a binary of it for this system. ${withoutKeyring}`,
    { cause },
  );

export const keyringUnavailable = (cause: unknown): CliError =>
  new CliError(
    "failure",
    "keyring:unavailable",
    `The keyring of the system cannot be used (${reasonOf(cause)})`,
    `Unlock it; on Linux a Secret Service must run, as gnome-keyring or KWallet. ${withoutKeyring}`,
    { cause },
  );

export const corruptKeyring = (account: string, problem: string): CliError =>
  new CliError(
    "failure",
    "keyring:corrupt",
    `The entry ${JSON.stringify(account)} of the keyring cannot be used: ${problem}`,
    "It was left as it is. mgmt login --store keyring replaces it.",
  );

export const corruptLink = (file: string, problem: string): CliError =>
  new CliError(
    "failure",
    "link:corrupt",
    `${file} cannot be used: ${problem}`,
    "Mend it, or take it away with mgmt unlink.",
  );

export const unreadableLink = (file: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "link:unreadable",
    `${file} cannot be read (${reasonOf(cause)})`,
    "Give this user the right to read it, or take it away with mgmt unlink.",
  );

export const unwritableLink = (file: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "link:unwritable",
    `${file} cannot be changed (${reasonOf(cause)})`,
    "Give this user the right to write it and its folder.",
  );

export const badProfileName = (from: string, name: string): CliError =>
  new CliError(
    "usage",
    "usage:invalid_value",
    `${from} cannot be ${JSON.stringify(name)}`,
    "A profile's name has letters, digits, - _ and . in it, at most 64, and begins with a letter or digit.",
  );

export const unknownProfile = (from: string, name: string, known: readonly string[]): CliError =>
  new CliError(
    "usage",
    "profile:not_found",
    `There is no profile ${name} (${from})`,
    known.length > 0
      ? `There is ${known.join(", ")}. mgmt login --profile ${name} makes it.`
      : `mgmt login --profile ${name} makes it.`,
  );

/** A login without a named profile must not take the place of another service's. */
export const profileOfOtherService = (name: string, baseUrl: string): CliError =>
  new CliError(
    "usage",
    "profile:other_service",
    `Profile ${name} is for ${baseUrl}`,
    "Name the profile to log in to: --profile NAME makes another one.",
  );

export const nothingPasted = (): CliError =>
  new CliError(
    "inputNeeded",
    "login:nothing_pasted",
    "Nothing was pasted; nobody is logged in",
    "Run it on a terminal, or give the address on standard input. mgmt login --with-token takes a token.",
  );

/** What was pasted is not repeated: it may hold half of a code. */
export const wrongPaste = (): CliError =>
  new CliError(
    "usage",
    "login:wrong_paste",
    "What was pasted is neither the address that the browser went to nor the code in it",
    "Copy the whole address, with ?code= or ?error= in it.",
  );

export const noControl = (): CliError =>
  new CliError(
    "usage",
    "control:not_found",
    "No service of `mgmt dev` is known here",
    "Run mgmt dev, or pass both --control-url and --control-secret-file, as its ready line has them.",
  );

export const unreachableControl = (url: string, cause: unknown): CliError =>
  new CliError(
    "network",
    "control:unreachable",
    `The control surface at ${url} does not answer (${reasonOf(cause)})`,
    "Check that mgmt dev is running.",
  );

export const controlRefused = (status: number, problem: unknown): CliError =>
  new CliError(
    status === 404 ? "notFound" : status === 403 ? "forbidden" : "refused",
    "control:refused",
    typeof problem === "string" ? problem : `The control surface answered ${status}`,
  );

/** The credential of one service must not be sent to another. */
export const otherService = (name: string, baseUrl: string, from: string): CliError =>
  new CliError(
    "notAuthenticated",
    "auth:other_service",
    `The credential of profile ${name} is for ${baseUrl}, and ${from} names another service`,
    "Name the other service's profile with --profile, log in to it, or give its token with MGMT_TOKEN.",
  );

export const confirmationNeeded = (what: string): CliError =>
  new CliError(
    "inputNeeded",
    "confirmation:needed",
    `A confirmation is needed to ${what}, and there is no terminal to ask on`,
    "Pass --yes when you are sure.",
  );

export const declined = (): CliError =>
  new CliError("inputNeeded", "confirmation:declined", "Not confirmed; nothing was changed");

export const interrupted = (): CliError => new CliError("interrupted", "run:interrupted", "Interrupted");

export const platformMissing = (): CliError =>
  new CliError(
    "failure",
    "platform:not_installed",
    "mgmt dev needs the package @mgmt/platform, which is not installed",
    "Install it next to the CLI: npm install @mgmt/platform (with -g when mgmt is installed globally).",
  );

export const databaseFailed = (id: string): CliError =>
  new CliError(
    "failure",
    "database:failed",
    `Database ${id} could not be made ready: its status is failure`,
    `Look at it with mgmt databases get ${id}; a restore or a new database is the way on.`,
  );

export const waitTimedOut = (id: string, status: string, seconds: number): CliError =>
  new CliError(
    "pending",
    "wait:timeout",
    `Database ${id} is still ${status} after ${seconds} s`,
    `It goes on without us: mgmt databases get ${id} shows how far it is. --timeout takes a longer time.`,
  );

/** A good status, but a body that is not what the contract says. */
export const unexpectedAnswer = (expected: string): CliError =>
  new CliError(
    "failure",
    "response:invalid",
    `The service answered with something that is not ${expected}`,
    "Check that the base URL (MGMT_BASE_URL, --base-url) is the address of the Management API.",
  );

export const brokenPaging = (problem: string): CliError =>
  new CliError(
    "failure",
    "paging:broken",
    `The list cannot go on: ${problem}`,
    "Report the fault to whoever runs the service.",
  );

export const partlyDone = (failed: number, all: number): CliError =>
  new CliError("partlyDone", "bulk:partly_done", `${failed} of ${all} failed, the others are done`);

/** Ends with the code of the first one's error. */
export const allFailed = (all: number, first: unknown): CliError =>
  new CliError("failure", "bulk:failed", `All ${all} failed`, undefined, { cause: first });

/** Why an operation of the file system or the network failed, in a word or two. */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const known: Record<string, string> = {
    ENOENT: "no such file",
    EACCES: "permission denied",
    EISDIR: "it is a directory",
  };
  // What a native library throws has this code whatever it was.
  const own = code === "GenericFailure" ? undefined : code;
  return (own !== undefined && known[own]) || own || cause.message;
};
