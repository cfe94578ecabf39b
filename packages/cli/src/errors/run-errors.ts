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
  new CliError("inputNeeded", "confirmation:declined", "You did not confirm, so nothing was changed");

/**
 * The response to a request that changes something was lost.
 *
 * @param next Words of the command that shows what happened.
 */
export const outcomeUnknown = (problem: string, next: readonly string[], hint: string): CliError =>
  new CliError("pending", "outcome:unknown", problem, hint, { next: [next] });

/** A signal ended the run before the response to a request that changes something arrived. */
export const changeInterrupted = (interruption: Error): CliError =>
  new CliError("pending", "outcome:unknown", interruptedProblem(interruption));

export const interruptedProblem = (interruption: Error): string =>
  `${interruption.message} before the response arrived. The request may have been carried out`;

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
  new CliError("partlyDone", "bulk:partly_done", `${failed} of ${all} items failed. The others succeeded`);

/** The run exits with the code of the first error. */
export const allFailed = (all: number, first: unknown): CliError =>
  new CliError("failure", "bulk:failed", `All ${all} items failed`, undefined, { cause: first });

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

/** @param node Versions of Node.js that can run the package, such as `>=20.19`. */
export const platformNotContained = (command: string, node: string): CliError =>
  new CliError(
    "failure",
    "platform:not_installed",
    "mgmt dev needs the package @mgmt/platform, which contains Postgres and is not part of the standalone program",
    `Install Node.js ${node.replace(/^>=/, "")} or newer, which has npx. Then run: ${command}`,
  );

/**
 * @param dev which `mgmt dev` it is, and `name` its profile.
 * @param pid its process.
 */
export const portTakenByDev = (port: number, dev: string, name: string, pid: number | undefined): CliError =>
  new CliError(
    "failure",
    "platform:port_taken",
    `Port ${port} is in use by another mgmt dev (${dev})`,
    `Use that one with --profile ${name}, stop it${pid === undefined ? "" : ` (kill ${pid})`}, or choose another port: --port 0 for any free one.`,
  );

export const noControl = (): CliError =>
  new CliError(
    "usage",
    "control:not_found",
    "mgmt dev is not running, or its control address and secret are not known",
    "Start mgmt dev, or pass --control-url and --control-secret-file with the controlUrl and controlSecretFile that mgmt dev --output json prints.",
  );

export const unreachableControl = (url: string, cause: unknown): CliError =>
  new CliError(
    "network",
    "control:unreachable",
    `mgmt dev cannot be reached at ${url} (${causeText(cause)})`,
    "Check that mgmt dev is running and that this is its control address.",
  );

/** @param refusal Of the response. */
export const controlRefused = (status: number, refusal: { message: unknown; hint: unknown }): CliError =>
  new CliError(
    status === 404 ? "notFound" : status === 403 ? "forbidden" : "refused",
    "control:refused",
    typeof refusal.message === "string"
      ? refusal.message
      : `mgmt dev refused the request with status ${status}`,
    typeof refusal.hint === "string" ? refusal.hint : undefined,
  );

export const programNotFound = (program: string, hint: string): CliError =>
  new CliError("programNotFound", "program:not_found", `The program ${program} was not found`, hint);

export const notExecutable = (program: string): CliError =>
  new CliError(
    "programNotStarted",
    "program:not_executable",
    `${program} is not a program that this account can run`,
    "Make it executable (chmod +x FILE), or run it with its interpreter (sh FILE).",
  );

export const interpreterNotFound = (program: string): CliError =>
  new CliError(
    "programNotStarted",
    "program:not_started",
    `${program} could not be started, because the interpreter in its first line was not found`,
    "Correct the first line of the script, or run it with its interpreter.",
  );

export const programFailedToStart = (program: string, problem: string): CliError =>
  new CliError("programNotStarted", "program:not_started", `${program} could not be started (${problem})`);

export const rehearsedCommandFailed = (status: number, faults: number): CliError =>
  new CliError(
    "failure",
    "rehearsal:command_failed",
    `The command exited with ${String(status)} although no fault was simulated`,
    `${faults > 0 ? "The faults were not tried. " : ""}Its messages are above. Correct the command, and rehearse it again.`,
  );

/**
 * @param bad The faults that the command did not recover from.
 * @param unused The faults that did not occur.
 */
export const notRecovered = (bad: readonly string[], unused: readonly string[], all: number): CliError =>
  new CliError(
    "failure",
    "rehearsal:not_recovered",
    `The command did not recover from ${String(bad.length)} of ${String(all)} faults: ${bad.join(", ")}` +
      (unused.length > 0 ? `. These did not occur: ${unused.join(", ")}` : ""),
    "Retry failed requests. Create resources with a logical id and `ensure`, so that a retry does not create them twice.",
  );

/** @param unused The faults that did not occur. */
export const faultsUnused = (unused: readonly string[], all: number): CliError =>
  new CliError(
    "failure",
    "rehearsal:fault_unused",
    `${String(unused.length)} of ${String(all)} faults did not occur, because the command did not send the request: ${unused.join(", ")}`,
    "Name an operation and a number that the command sends. --debug shows the requests of an mgmt command.",
  );
