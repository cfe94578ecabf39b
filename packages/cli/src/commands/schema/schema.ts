import { MgmtCommand, findRootCommand, listSubcommandNames } from "../../command-line/command.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { CommandSchema } from "./command-schema.js";

export const schemaCommand: HandwrittenCommand<CommandSchema> = {
  commandPath: "schema",
  helpGroup: "about",
  order: 50,
  summary: "Show the JSON Schema of what a command prints, and its exit codes",
  description:
    "Prints the JSON Schema of what a command prints: its result, a line of it with --output ndjson, its requests with " +
    "--dry-run, and an error. Also lists its exit codes with the error codes of the service that lead to them.",
  examples: ["mgmt schema projects list", "mgmt schema projects delete --query exitCodes"],
  define: (command, { output }) => {
    command.argument("<command...>", "the command, such as projects create");
    command.completeArgument = ({ earlierArguments }) => {
      const root = findRootCommand(command);
      return root instanceof MgmtCommand ? listSubcommandNames(root, earlierArguments) : [];
    };
    command.action(async () => {
      const { buildCommandSchema } = await import("./run-schema.js");
      await output.writeResult(await buildCommandSchema(findRootCommand(command), command.args));
    });
  },
};
