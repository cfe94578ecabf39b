import type { ExitReason } from "../exit-codes.js";

/** An error that the command found itself. Error responses of the service are `ApiError`s of the SDK. */
export class CliError extends Error {
  override readonly name = "CliError";

  constructor(
    readonly reason: ExitReason,
    /** `noun:reason`. Stable. */
    readonly code: string,
    message: string,
    readonly hint?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The user pressed Ctrl-C. */
export const interrupted = (): CliError => new CliError("interrupted", "run:interrupted", "Interrupted");

const knownCauses: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EISDIR: "it is a directory",
};

/** Returns why an operation of the file system, network or keyring failed, in a few words. */
export const causeText = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  // Native libraries give this code to everything that they throw.
  if (code === undefined || code === "GenericFailure") return cause.message;
  return knownCauses[code] ?? code;
};
