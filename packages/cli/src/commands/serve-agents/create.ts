import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags } from "../../platform/serve-options.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import type { AgentFlags, PrintedAgentToken } from "./run-create.js";

export const serveAgentsCreateCommand: HandwrittenCommand<PrintedAgentToken> = {
  commandPath: "serve agents create",
  order: 10,
  summary: "Create a token of an agent",
  description:
    "Creates a token with which an agent works in the workspace of its sponsor. What it deletes, restores or transfers needs an approval, " +
    "which mgmt serve approvals decides. The token cannot be revoked before it expires. It is shown once, and printed only on a terminal or " +
    "with --show-secrets.",
  examples: [
    "mgmt serve agents create builder --sponsor grace@example.com --config serve.yaml --secret-file agent.json",
  ],
  errors: serveErrors,
  define: (command, context) => {
    command.argument("<agent-id>", "name of the agent: letters, digits, and the characters ._:-");
    command
      .requiredOption("--sponsor <email>", "email address of the member who is responsible for the agent")
      .option("--expires-in <time>", "such as 12h, 7d or 2w, at most a year", "30d");
    addServeOptions(command);
    addSecretOptions(command);
    command.action(async (agentId: string) => {
      const { runServeAgentsCreate } = await import("./run-create.js");
      await runServeAgentsCreate(
        agentId,
        collectServeFlags(command),
        command.opts<AgentFlags & SecretFlags>(),
        context,
      );
    });
  },
};
