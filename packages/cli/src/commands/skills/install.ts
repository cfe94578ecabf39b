import { Argument, Option } from "commander";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { type FileScope, fileScopes } from "../../files/client-file.js";
import { clientNames } from "./skill-folders.js";
import type { SkillsInstallResult } from "./run-install.js";

export const skillsInstallCommand: HandwrittenCommand<SkillsInstallResult> = {
  commandPath: "skills install",
  order: 10,
  summary: "Copy the skill to where coding agents find it",
  description:
    "Copies the skill into a folder that coding agents read. Most of them read .agents/skills, Claude Code reads .claude/skills. If the " +
    "file exists and says something else, the command asks before it replaces it.",
  examples: [
    "mgmt skills install",
    "mgmt skills install claude-code",
    "mgmt skills install codex --scope user --yes",
  ],
  confirms: true,
  define: (command, context) => {
    command
      .addArgument(
        new Argument("[client]", `${clientNames.join(", ")} (default: agents, which most agents read)`),
      )
      .addOption(
        new Option("--scope <scope>", "whether to copy it into this folder, or for your user")
          .choices(fileScopes)
          .default("project"),
      );
    command.completeArgument = ({ earlierArguments }) => (earlierArguments.length === 0 ? clientNames : []);
    command.action(async (client: string | undefined) => {
      const { scope } = command.opts<{ scope: FileScope }>();
      const { runSkillsInstall } = await import("./run-install.js");
      await runSkillsInstall(client, scope, collectGlobalFlags(command), context);
    });
  },
};
