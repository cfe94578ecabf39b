import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

export const skillsCommand: HandwrittenCommand = {
  commandPath: "skills",
  helpGroup: "about",
  order: 55,
  summary: "Print the skill with which coding agents use this command",
  description:
    "Prints a SKILL.md, which tells a coding agent how to use this command: without seeing a secret, and without destroying what nobody asked " +
    "it to. mgmt skills install copies it to where agents find it.",
  examples: ["mgmt skills", "mgmt skills install"],
  define: (command, { output, version }) => {
    command.action(async () => {
      const { renderSkill } = await import("./skill.js");
      output.writeText(renderSkill(version));
    });
  },
};
