import { addressWithoutCredentials } from "../text/address-without-credentials.js";
import { describeCause, CliError } from "./cli-error.js";

/** @param reason Why the command did not ask. */
export const confirmationNeededError = (action: string, reason: string): CliError =>
  new CliError(
    "inputNeeded",
    "confirmation:needed",
    `Confirmation is needed to ${action}, but ${reason}`,
    "Pass --yes to confirm.",
  );

export const confirmationDeclinedError = (): CliError =>
  new CliError("inputNeeded", "confirmation:declined", "You did not confirm, so nothing was changed");

/**
 * The response to a request that changes something was lost.
 *
 * @param nextCommand Words of the command that shows what happened.
 */
export const outcomeUnknownError = (
  problem: string,
  nextCommand: readonly string[],
  hint: string,
): CliError => new CliError("pending", "outcome:unknown", problem, hint, { next: [nextCommand] });

/** A signal ended the run before the response to a request that changes something arrived. */
export const changeInterruptedError = (interruption: Error): CliError =>
  new CliError("pending", "outcome:unknown", describeInterruption(interruption));

export const describeInterruption = (interruption: Error): string =>
  `${interruption.message} before the response arrived. The request may have been carried out`;

/**
 * A resource was created, but not its credentials. Exits with the code of the cause.
 *
 * @param nextCommand Words of the command that creates the credentials.
 */
export const credentialsMissingError = (
  id: string,
  credentials: string,
  nextCommand: readonly string[],
  cause: unknown,
): CliError =>
  new CliError(
    "failure",
    "credentials:not_created",
    `${id} was created, but its ${credentials} was not: ${cause instanceof Error ? cause.message : String(cause)}`,
    `Create the ${credentials}: ${nextCommand.join(" ")}`,
    { cause, next: [nextCommand] },
  );

export const partlyDoneError = (failedCount: number, itemCount: number): CliError =>
  new CliError(
    "partlyDone",
    "bulk:partly_done",
    `${failedCount} of ${itemCount} items failed. The others succeeded`,
  );

/** The run exits with the code of the first error. */
export const allFailedError = (itemCount: number, firstError: unknown): CliError =>
  new CliError("failure", "bulk:failed", `All ${itemCount} items failed`, undefined, { cause: firstError });

/** @param nextCommand Words of the command that helps with the first failure, if there is one. */
export const checksFailedError = (
  failedCount: number,
  checkCount: number,
  nextCommand: readonly string[] | undefined,
): CliError =>
  new CliError(
    "failure",
    "doctor:failed",
    `${failedCount} of ${checkCount} checks failed`,
    undefined,
    nextCommand ? { next: [nextCommand] } : {},
  );

/** @param installCommand Command that installs the package where this CLI finds it. */
export const platformMissingError = (installCommand: string): CliError =>
  new CliError(
    "failure",
    "platform:not_installed",
    "mgmt dev needs the package @mgmt/platform, which contains Postgres and is not installed",
    `Run: ${installCommand}`,
  );

/** @param nodeRange Versions of Node.js that can run the package, such as `>=20.19`. */
export const platformNotContainedError = (command: string, nodeRange: string): CliError =>
  new CliError(
    "failure",
    "platform:not_installed",
    "mgmt dev needs the package @mgmt/platform, which contains Postgres and is not part of the standalone program",
    `Install Node.js ${nodeRange.replace(/^>=/, "")} or newer, which has npx. Then run: ${command}`,
  );

/**
 * @param dev which `mgmt dev` it is, and `name` its profile.
 * @param pid its process.
 */
export const portTakenByDevError = (
  port: number,
  dev: string,
  name: string,
  pid: number | undefined,
): CliError =>
  new CliError(
    "failure",
    "platform:port_taken",
    `Port ${port} is in use by another mgmt dev (${dev})`,
    `Use that one with --profile ${name}, stop it${pid === undefined ? "" : ` (kill ${pid})`}, or choose another port: --port 0 for any free one.`,
  );

export const missingControlError = (): CliError =>
  new CliError(
    "usage",
    "control:not_found",
    "mgmt dev is not running, or its control address and secret are not known",
    "Start mgmt dev, or pass --control-url and --control-secret-file with the controlUrl and controlSecretFile that mgmt dev --output json prints.",
  );

/** @param missing the flag and the variable of the other value. */
export const incompleteControlError = (
  from: string,
  missing: { readonly flag: string; readonly variable: string },
): CliError =>
  new CliError(
    "usage",
    "control:not_found",
    `${from} is set, but neither ${missing.flag} nor ${missing.variable} is`,
    `Pass ${missing.flag}, or set ${missing.variable}. Without ${from}, the command uses the running mgmt dev.`,
  );

/** @param from where the address comes from. */
export const unreachableControlError = (url: string, from: string | undefined, cause: unknown): CliError =>
  new CliError(
    "network",
    "control:unreachable",
    `mgmt dev cannot be reached at ${addressWithoutCredentials(url)}${from === undefined ? "" : ` (from ${from})`} (${describeCause(cause)})`,
    "Check that mgmt dev is running and that this is its control address.",
  );

/** @param refusal Of the response. */
export const controlRefusedError = (status: number, refusal: { message: unknown; hint: unknown }): CliError =>
  new CliError(
    status === 404 ? "notFound" : status === 403 ? "forbidden" : "refused",
    "control:refused",
    typeof refusal.message === "string"
      ? refusal.message
      : `mgmt dev refused the request with status ${status}`,
    typeof refusal.hint === "string" ? refusal.hint : undefined,
  );

export const programNotFoundError = (program: string, hint: string): CliError =>
  new CliError("programNotFound", "program:not_found", `The program ${program} was not found`, hint);

export const notExecutableError = (program: string): CliError =>
  new CliError(
    "programNotStarted",
    "program:not_executable",
    `${program} is not a program that this account can run`,
    "Make it executable (chmod +x FILE), or run it with its interpreter (sh FILE).",
  );

export const interpreterNotFoundError = (program: string): CliError =>
  new CliError(
    "programNotStarted",
    "program:not_started",
    `${program} could not be started, because the interpreter in its first line was not found`,
    "Correct the first line of the script, or run it with its interpreter.",
  );

export const programNotStartedError = (program: string, problem: string): CliError =>
  new CliError("programNotStarted", "program:not_started", `${program} could not be started (${problem})`);

export const rehearsedCommandError = (status: number, faults: number): CliError =>
  new CliError(
    "failure",
    "rehearsal:command_failed",
    `The command exited with ${String(status)} although no fault was simulated`,
    `${faults > 0 ? "The faults were not tried. " : ""}Its messages are above. Correct the command, and rehearse it again.`,
  );

/**
 * @param unrecoveredFaults The faults that the command did not recover from.
 * @param unusedFaults The faults that did not occur.
 */
export const notRecoveredError = (
  unrecoveredFaults: readonly string[],
  unusedFaults: readonly string[],
  faultCount: number,
): CliError =>
  new CliError(
    "failure",
    "rehearsal:not_recovered",
    `The command did not recover from ${String(unrecoveredFaults.length)} of ${String(faultCount)} faults: ${unrecoveredFaults.join(", ")}` +
      (unusedFaults.length > 0 ? `. These did not occur: ${unusedFaults.join(", ")}` : ""),
    "Retry failed requests. Create resources with a logical id and `ensure`, so that a retry does not create them twice.",
  );

/** @param unusedFaults The faults that did not occur. */
export const faultsUnusedError = (unusedFaults: readonly string[], faultCount: number): CliError =>
  new CliError(
    "failure",
    "rehearsal:fault_unused",
    `${String(unusedFaults.length)} of ${String(faultCount)} faults did not occur, because the command did not send the request: ${unusedFaults.join(", ")}`,
    "Name an operation and a number that the command sends. --debug shows the requests of an mgmt command.",
  );
