import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { type TerminationSignal, type ExitReason, exitReasonBySignal } from "./exit-codes.js";

/** The parts of an error that most errors do not have. */
export interface CliErrorOptions extends ErrorOptions {
  /** Command lines that help, the best first: lists of words that start with `mgmt`. */
  next?: readonly (readonly string[])[];
}

/** An error that the command found itself. Error responses of the service are `ApiError`s of the SDK. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly next?: readonly (readonly string[])[];

  constructor(
    readonly reason: ExitReason,
    /** `noun:reason`. Stable. */
    readonly code: string,
    message: string,
    readonly hint?: string,
    { next, ...options }: CliErrorOptions = {},
  ) {
    super(message, options);
    if (next !== undefined) this.next = next;
  }
}

/** A signal terminated the run. Default: the signal of Ctrl-C. */
export const interruptedError = (signal: TerminationSignal = "SIGINT"): CliError =>
  new CliError(
    exitReasonBySignal[signal],
    "run:interrupted",
    signal === "SIGINT" ? "Interrupted" : `Interrupted by ${signal}`,
  );

export const noWorkingDirectoryError = (): CliError =>
  new CliError(
    "failure",
    "system:no_working_directory",
    "The working directory does not exist any more, or cannot be entered",
    "Change to another folder, for example with cd, and run the command again.",
    { next: [["mgmt", "--help"]] },
  );

const notReplaceableText = "it is mounted, or used by another program, so that it cannot be replaced";
const causeTextByCode: Readonly<Record<string, string>> = {
  EBUSY: notReplaceableText,
  EXDEV: notReplaceableText,
  ENOENT: "no such file",
  EACCES: "permission denied",
  EISDIR: "it is a directory",
  ENOSPC: "no space left on the device",
  ENOTDIR: "a part of its path is not a folder",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
};

/** Returns why an operation of the file system, network or keyring failed, in a few words. */
export const describeCause = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  const code = readErrorCode(cause);
  // Native libraries give this code to everything that they throw.
  if (code === undefined || code === "GenericFailure") return cause.message;
  return causeTextByCode[code] ?? code;
};
