import { MgmtCommand, findRootCommand, listSubcommandNames } from "../../command-line/command.js";
import type { CommandHelp } from "../../command-line/describe-command.js";
import { addTermSection } from "../../command-line/help-sections.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { type PrintedTopic, renderTopic } from "./topic.js";
import { topics } from "./topics.js";

/** `mgmt help projects create`, the same as `mgmt projects create --help`, and `mgmt help output`. */
export const helpCommand: HandwrittenCommand<CommandHelp | PrintedTopic> = {
  commandPath: "help",
  helpGroup: "about",
  order: 80,
  summary: "Show help for a command",
  description: "Shows the help of a command, an explanation of a topic, or the overview.",
  examples: ["mgmt help", "mgmt help projects create", "mgmt help output"],
  globalOptions: "hidden",
  define: (command, { output }) => {
    command.argument("[command...]", "a command, or a topic").action(async (commandPath: string[]) => {
      const topic = commandPath.length === 1 ? topics.find(({ name }) => name === commandPath[0]) : undefined;
      if (topic && output.format !== "table") {
        const result: PrintedTopic = { ...topic, text: renderTopic(topic, output.helpWidth) };
        return output.writeResult(result);
      }
      if (topic) return output.writeText(renderTopic(topic, output.helpWidth));
      await findRootCommand(command).parseAsync([...commandPath, "--help"], { from: "user" });
    });
    command.completeArgument = async ({ earlierArguments }) => {
      const root = findRootCommand(command);
      const names = root instanceof MgmtCommand ? await listSubcommandNames(root, earlierArguments) : [];
      return earlierArguments.length === 0 ? [...names, ...topics.map(({ name }) => name)] : names;
    };
    addTermSection(command, "Topics", () => topics.map(({ name, summary }) => [name, summary] as const));
  },
};
