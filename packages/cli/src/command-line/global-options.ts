import { type Command, Option } from "commander";
import type { GlobalFlags } from "../input/context.js";
import { secretInArgumentsError, usageError } from "../errors/usage-errors.js";
import { outputFormats } from "../output/output-format.js";

const globalOptionsHeading = "Global options:";

/** Returns the options that every command accepts. */
export const createGlobalOptions = (): Option[] =>
  [
    new Option("-o, --output <format>", `output format: ${outputFormats.join(", ")} (default: table)`),
    new Option("--json", "the same as --output json"),
    new Option("--csv", "the same as --output csv"),
    new Option("--fields <names>", "print only these fields, such as id,name,region.id"),
    new Option("-q, --query <expression>", "print what a JMESPath expression selects, such as '[].name'"),
    new Option("--jq <filter>", "print what a filter of jq selects, if jq is installed, such as '.[].name'"),
    new Option("--no-pager", "never show a long list in a pager (or NO_PAGER)").default(undefined),
    new Option("--base-url <url>", "URL of the service, without /v1 (or MGMT_BASE_URL)"),
    new Option("--profile <name>", "profile with the URL and credential (or MGMT_PROFILE)"),
    new Option(
      "--insecure",
      "send credentials unencrypted if the service has an http:// URL of another machine",
    ),
    new Option("--debug", "print each request as a curl command, its status and time on standard error"),
    new Option(
      "--verbose",
      "say which profile, project and workspace a link selects, also when nothing is changed",
    ),
    new Option("--token-file <path>", "file with the token, - for standard input (or MGMT_TOKEN)"),
    new Option("-y, --yes", "confirm without being asked"),
    new Option(
      "--confirm <name>",
      "confirm with the name of the resource, which a protected folder or profile needs",
    ),
  ].map((option) => option.helpGroup(globalOptionsHeading));

/** Rejects an empty path, which a variable that is not set leaves: it would mean the working directory. */
export const assertPathsNotEmpty = (command: Command): void => {
  if (command.parent) assertPathsNotEmpty(command.parent);
  const emptyOption = command.options.find(
    (option) => option.flags.endsWith("<path>") && command.getOptionValue(option.attributeName()) === "",
  );
  if (!emptyOption) return;
  throw usageError(
    `${emptyOption.long ?? emptyOption.flags} must not be empty`,
    "Pass a path. If it comes from a variable, check that the variable is set.",
  );
};

/**
 * Adds the options that every command accepts, also before its name: `mgmt --output json projects list`. An option of the command with the
 * same name stays.
 */
export const addGlobalOptions = (command: Command, { hidden = false, confirms = false } = {}): void => {
  const ownNames = new Set(command.options.map(({ long }) => long));
  for (const option of createGlobalOptions().filter(({ long }) => !ownNames.has(long))) {
    command.addOption(
      option.hideHelp(hidden || (["--yes", "--confirm"].includes(option.long ?? "") && !confirms)),
    );
  }
  command.addOption(
    createRejectedSecretOption("token", "Set MGMT_TOKEN, or pass --token-file PATH (- for standard input)."),
  );
};

/** Returns a hidden option that users may try for a secret. It is rejected, and its value is not repeated. */
export const createRejectedSecretOption = (flag: string, hint: string): Option =>
  new Option(`--${flag} <value>`).hideHelp().argParser(() => {
    throw secretInArgumentsError(`--${flag}`, hint);
  });

/** Returns the global flags of a command and the commands above it. The one closest to the command wins. */
export const collectGlobalFlags = (command: Command): GlobalFlags => {
  const ancestors: Command[] = [];
  for (let current: Command | null = command; current; current = current.parent) ancestors.unshift(current);
  // `addGlobalOptions` defines these options on every command.
  return Object.assign({}, ...ancestors.map((ancestor) => ancestor.opts<GlobalFlags>())) as GlobalFlags;
};
