import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { addControlOptions, collectControlFlags } from "../../platform/control-options.js";
import type { AgentFlags, PrintedAgent } from "./run-dev-agent.js";

export const devAgentCommand: HandwrittenCommand<PrintedAgent> = {
  commandPath: "dev agent",
  order: 20,
  summary: "Create a credential for an agent, and store it in a profile",
  description:
    "Creates a credential of an agent on the service that mgmt dev runs, and stores it in a profile. The first user is its sponsor: what the " +
    "agent deletes, restores, rotates, or transfers needs the sponsor's approval, for which mgmt dev approvals is the command. The credential " +
    "is not printed.",
  examples: [
    "mgmt dev agent",
    "mgmt dev agent builder --save-as builder --expires-in 12h",
    "mgmt mcp --profile agent",
  ],
  define: (command, context) => {
    command.argument(
      "[agent-id]",
      "name of the agent: letters, digits, and the characters ._:- (default: the agent of the first user)",
    );
    command
      .option("--save-as <name>", "profile to store the credential in", "agent")
      .option("--expires-in <time>", "such as 12h, 7d or 2w", "30d");
    addControlOptions(command);
    command.action(async (agentId: string | undefined) => {
      const { runDevAgent } = await import("./run-dev-agent.js");
      await runDevAgent(agentId, command.opts<AgentFlags>(), collectControlFlags(command), context);
    });
  },
};
