import { CliError } from "./cli-error.js";

/**
 * The response to a request that changes something was lost.
 *
 * @param nextCommand the command that shows what happened.
 */
export const outcomeUnknownError = (
  problem: string,
  nextCommand: readonly string[],
  hint: string,
): CliError => new CliError("pending", "outcome:unknown", problem, hint, { next: [nextCommand] });

/** A signal terminated the run before the response to a request that changes something arrived. */
export const changeInterruptedError = (interruption: Error): CliError =>
  new CliError("pending", "outcome:unknown", describeInterruption(interruption));

/** Returns the sentence for a request whose response did not arrive because a signal terminated the run. */
export const describeInterruption = (interruption: Error): string =>
  `${interruption.message} before the response arrived. The request may have been carried out`;

/**
 * A resource was created, but not its credentials. Exits with the code of the cause.
 *
 * @param nextCommand the command that creates the credentials.
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

/** @param nextCommand the command that helps with the first failure, if there is one. */
export const checksFailedError = (
  failedCount: number,
  checkCount: number,
  nextCommand: readonly string[] | undefined,
  code = "doctor:failed",
): CliError =>
  new CliError(
    "failure",
    code,
    `${failedCount} of ${checkCount} checks failed`,
    undefined,
    nextCommand ? { next: [nextCommand] } : {},
  );
