import { type Command, Option } from "commander";
import { secretInArguments } from "../errors.js";
import { formats } from "../output/output.js";
import type { GlobalFlags } from "../run/context.js";

const heading = "Global options:";

/** Taken by every command, and before it too: `mgmt --output json projects list`. */
export const addGlobalOptions = (command: Command, { hidden = false, confirms = false } = {}): void => {
  const options = [
    new Option("-o, --output <format>", `how the answer is written: ${formats.join(", ")} (default: table)`),
    new Option("--base-url <url>", "address of the service, without /v1 (or MGMT_BASE_URL)"),
    new Option("--profile <name>", "profile with address and credential (or MGMT_PROFILE)"),
    new Option("--token-file <path>", "file that holds the token, - for standard input (or MGMT_TOKEN)"),
  ];
  for (const option of options) command.addOption(option.helpGroup(heading).hideHelp(hidden));
  const yes = new Option("-y, --yes", "confirm without being asked");
  command.addOption(yes.helpGroup(heading).hideHelp(!confirms));
  command.addOption(
    refusedSecret("token", "Set MGMT_TOKEN, or pass --token-file PATH (- for standard input)."),
  );
};

/** A flag that somebody will try; it is refused rather than read, and its value never repeated. */
export const refusedSecret = (flag: string, hint: string): Option =>
  new Option(`--${flag} <value>`).hideHelp().argParser(() => {
    throw secretInArguments(`--${flag}`, hint);
  });

/** What was given on the way down to a command; what stands closest to it wins. */
export const globalFlags = (command: Command): GlobalFlags => {
  const chain: Command[] = [];
  for (let each: Command | null = command; each; each = each.parent) chain.unshift(each);
  return Object.assign({}, ...chain.map((each) => each.opts<GlobalFlags>())) as GlobalFlags;
};
