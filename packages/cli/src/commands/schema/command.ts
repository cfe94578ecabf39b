import { addGlobalOptions } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import { MgmtCommand, rootOf, subcommandNames } from "../../program/command.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt schema`. */
export const defineSchema: DefineCommand = (command, { output }) => {
  command
    .description(
      "Prints the JSON Schema of what a command prints: its result, a line of it with --output ndjson, its requests with " +
        "--dry-run, and an error. Also lists its exit codes with the error codes of the service that lead to them.",
    )
    .argument("<command...>", "words of the command");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => ["mgmt schema projects list", "mgmt schema projects delete --query exitCodes"],
  });
  command.completeArgument = ({ typed }) => {
    const root = rootOf(command);
    return root instanceof MgmtCommand ? subcommandNames(root, typed) : [];
  };
  command.action(async () => {
    const { schemaOf } = await import("./run.js");
    await output.result(await schemaOf(rootOf(command), command.args));
  });
};
