import { quoteShellWord } from "../text/shell-word.js";
import { CliError } from "./cli-error.js";

/** @param reason why the command did not ask. */
export const confirmationNeededError = (action: string, reason: string): CliError =>
  new CliError(
    "inputNeeded",
    "confirmation:needed",
    `Confirmation is needed to ${action}, but ${reason}`,
    "Pass --yes to confirm.",
  );

/** @param protection the file or the profile that protects the resource. */
export const nameNeededError = (action: string, protection: string, reason: string): CliError =>
  new CliError(
    "inputNeeded",
    "confirmation:needed",
    `The name of the resource must be typed to ${action}, because ${protection} protects it, but ${reason}`,
    "Pass --confirm with the name or the id of the resource, or with the number of resources if there are several. --yes is not enough.",
    { next: [] },
  );

/** `--confirm` names something else. */
export const wrongNameError = (name: string, action: string): CliError =>
  new CliError(
    "inputNeeded",
    "confirmation:wrong_name",
    `--confirm ${JSON.stringify(name)} is not the name of what the command would change: ${action}`,
    "Nothing was changed. Pass the name or the id of the resource, or the number of resources if there are several.",
  );

export const confirmationDeclinedError = (): CliError =>
  new CliError("inputNeeded", "confirmation:declined", "You did not confirm, so nothing was changed");

/**
 * The typed name is not the name of the protected resource.
 *
 * @param confirmation what `--confirm` takes.
 */
export const nameDeclinedError = (confirmation: string): CliError => {
  const { reason, code, message } = confirmationDeclinedError();
  const flag = `--confirm${confirmation.startsWith("-") ? "=" : " "}${quoteShellWord(confirmation)}`;
  return new CliError(reason, code, message, `${flag} confirms without a question. --yes is not enough.`, {
    next: [],
  });
};
