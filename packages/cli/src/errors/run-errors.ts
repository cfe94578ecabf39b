import { causeText, CliError } from "./cli-error.js";

/** @param reason Why the command did not ask. */
export const confirmationNeeded = (what: string, reason: string): CliError =>
  new CliError(
    "inputNeeded",
    "confirmation:needed",
    `Confirmation is needed to ${what}, but ${reason}`,
    "Pass --yes to confirm.",
  );

export const declined = (): CliError =>
  new CliError("inputNeeded", "confirmation:declined", "Not confirmed; nothing was changed");

/** A success status with a body that does not match the contract. */
export const unexpectedResponse = (expected: string): CliError =>
  new CliError(
    "failure",
    "response:invalid",
    `The response of the service is not ${expected}`,
    "Check that the base URL (MGMT_BASE_URL, --base-url) is the address of the Management API.",
  );

/**
 * The response to a request that changes something was lost.
 *
 * @param next Words of the command that shows what happened.
 */
export const outcomeUnknown = (problem: string, next: readonly string[], hint: string): CliError =>
  new CliError("pending", "outcome:unknown", problem, hint, { next: [next] });

/**
 * A resource was created, but not its credentials. Exits with the code of the cause.
 *
 * @param next Words of the command that creates the credentials.
 */
export const credentialsMissing = (
  id: string,
  credentials: string,
  next: readonly string[],
  cause: unknown,
): CliError =>
  new CliError(
    "failure",
    "credentials:not_created",
    `${id} was created, but its ${credentials} was not: ${cause instanceof Error ? cause.message : String(cause)}`,
    `Create the ${credentials}: ${next.join(" ")}`,
    { cause, next: [next] },
  );

export const partlyDone = (failed: number, all: number): CliError =>
  new CliError("partlyDone", "bulk:partly_done", `${failed} of ${all} failed; the others succeeded`);

/** The run exits with the code of the first error. */
export const allFailed = (all: number, first: unknown): CliError =>
  new CliError("failure", "bulk:failed", `All ${all} failed`, undefined, { cause: first });

/** @param next Words of the command that helps with the first failure, if there is one. */
export const checksFailed = (failed: number, all: number, next: readonly string[] | undefined): CliError =>
  new CliError(
    "failure",
    "doctor:failed",
    `${failed} of ${all} checks failed`,
    undefined,
    next ? { next: [next] } : {},
  );

/** @param install Command that installs the package where this CLI finds it. */
export const platformMissing = (install: string): CliError =>
  new CliError(
    "failure",
    "platform:not_installed",
    "mgmt dev needs the package @mgmt/platform, which contains Postgres and is not installed",
    `Run: ${install}`,
  );

export const noControl = (): CliError =>
  new CliError(
    "usage",
    "control:not_found",
    "The control surface of `mgmt dev` is not known",
    "Run mgmt dev, or pass both --control-url and --control-secret-file, as in its ready line.",
  );

export const unreachableControl = (url: string, cause: unknown): CliError =>
  new CliError(
    "network",
    "control:unreachable",
    `The control surface at ${url} cannot be reached (${causeText(cause)})`,
    "Check that mgmt dev is running.",
  );

/** @param refusal Of the response. */
export const controlRefused = (status: number, refusal: { message: unknown; hint: unknown }): CliError =>
  new CliError(
    status === 404 ? "notFound" : status === 403 ? "forbidden" : "refused",
    "control:refused",
    typeof refusal.message === "string"
      ? refusal.message
      : `The control surface responded with status ${status}`,
    typeof refusal.hint === "string" ? refusal.hint : undefined,
  );

export const programNotFound = (program: string, hint: string): CliError =>
  new CliError("failure", "program:not_found", `The program ${program} was not found`, hint);

export const programFailedToStart = (program: string, problem: string): CliError =>
  new CliError("failure", "program:not_started", `${program} could not be started (${problem})`);

export const rehearsedCommandFailed = (status: number, faults: number): CliError =>
  new CliError(
    "failure",
    "rehearsal:command_failed",
    `The command exited with ${String(status)} without any fault`,
    faults > 0 ? "The faults were not tried. Correct the command first." : undefined,
  );

/** @param bad The faults that the command did not recover from. */
export const notRecovered = (bad: readonly string[], all: number): CliError =>
  new CliError(
    "failure",
    "rehearsal:not_recovered",
    `The command did not recover from ${String(bad.length)} of ${String(all)} faults: ${bad.join(", ")}`,
    "Retry failed requests. Create resources with a logical id and `ensure`, so that a retry does not create them twice.",
  );
