import { type Command, Option } from "commander";
import type { GlobalFlags } from "../input/context.js";
import { secretInArguments, usageError } from "../errors/usage-errors.js";
import { formats } from "../output/output.js";

const heading = "Global options:";

/** Returns the options that every command accepts. */
export const globalOptions = (): Option[] =>
  [
    new Option("-o, --output <format>", `output format: ${formats.join(", ")} (default: table)`),
    new Option("--json", "the same as --output json"),
    new Option("--fields <names>", "print only these fields, such as id,name,region.id"),
    new Option("-q, --query <expression>", "print what a JMESPath expression selects, such as '[].name'"),
    new Option("--jq <filter>", "print what a filter of jq selects, if jq is installed, such as '.[].name'"),
    new Option("--no-pager", "never show a long list in a pager (or NO_PAGER)").default(undefined),
    new Option("--base-url <url>", "address of the service, without /v1 (or MGMT_BASE_URL)"),
    new Option("--profile <name>", "profile with the address and credential (or MGMT_PROFILE)"),
    new Option(
      "--insecure",
      "send credentials unencrypted if the service has an http:// address of another machine",
    ),
    new Option("--debug", "print each request as a curl command, its status and time on standard error"),
    new Option("--token-file <path>", "file with the token, - for standard input (or MGMT_TOKEN)"),
    new Option("-y, --yes", "confirm without being asked"),
  ].map((option) => option.helpGroup(heading));

/** Refuses an empty path, which a variable that is not set leaves: it would mean the working directory. */
export const assertPaths = (command: Command): void => {
  if (command.parent) assertPaths(command.parent);
  const empty = command.options.find(
    (option) => option.flags.endsWith("<path>") && command.getOptionValue(option.attributeName()) === "",
  );
  if (!empty) return;
  throw usageError(
    `${empty.long ?? empty.flags} must not be empty`,
    "Pass a path. If it comes from a variable, check that the variable is set.",
  );
};

/** Adds the options that every command accepts, also before its name: `mgmt --output json projects list`. */
export const addGlobalOptions = (command: Command, { hidden = false, confirms = false } = {}): void => {
  for (const option of globalOptions()) {
    command.addOption(option.hideHelp(hidden || (option.long === "--yes" && !confirms)));
  }
  command.addOption(
    refusedSecret("token", "Set MGMT_TOKEN, or pass --token-file PATH (- for standard input)."),
  );
};

/** Returns a hidden option that users may try for a secret. It is refused, and its value is not repeated. */
export const refusedSecret = (flag: string, hint: string): Option =>
  new Option(`--${flag} <value>`).hideHelp().argParser(() => {
    throw secretInArguments(`--${flag}`, hint);
  });

/** Returns the global flags of a command and the commands above it. The one closest to the command wins. */
export const globalFlags = (command: Command): GlobalFlags => {
  const chain: Command[] = [];
  for (let current: Command | null = command; current; current = current.parent) chain.unshift(current);
  // `addGlobalOptions` defines these options on every command.
  return Object.assign({}, ...chain.map((ancestor) => ancestor.opts<GlobalFlags>())) as GlobalFlags;
};
