import { type Command, Option } from "commander";

/** Adds `--secret-file` and, unless the command always shows the secrets that it creates, `--reveal`. */
export const addDisclosureOptions = (command: Command, { alwaysShown = false } = {}): void => {
  if (!alwaysShown) command.addOption(new Option("--reveal", "show secrets, which are masked by default"));
  const help = "write the result with its secrets to a new file that only you can read, and print it masked";
  command.addOption(new Option("--secret-file <path>", help));
};
