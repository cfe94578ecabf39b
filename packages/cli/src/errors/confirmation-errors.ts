import { CliError } from "./cli-error.js";

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
