import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, runAsOperator } from "../../platform/serve-options.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import { addWorkspaceOption, exampleWorkspaceId, readWorkspaceOption } from "./workspace-option.js";

export const serveTokensCreateCommand: HandwrittenCommand = {
  commandPath: "serve tokens create",
  order: 20,
  summary: "Create a service token",
  description:
    "Creates a service token, which is valid until it is deleted. Its value is shown once, and printed only on a terminal or with --show-secrets.",
  examples: [
    `mgmt serve tokens create ci --workspace ${exampleWorkspaceId} --config serve.yaml --secret-file token.json`,
  ],
  resultOf: "workspaces.serviceTokens.create",
  errors: serveErrors,
  define: (command, context) => {
    command.argument("<name>", "what the token is for");
    addWorkspaceOption(command);
    addServeOptions(command);
    addSecretOptions(command);
    command.action(async (name: string) => {
      const workspaceId = readWorkspaceOption(command);
      const { issueSecret } = await import("../../platform/issue-secret.js");
      const sample = { id: "id", type: "token", url: "url", name, valueHint: "hint", value: "" };
      await issueSecret<{ value: string }>(
        command.opts<SecretFlags>(),
        sample,
        () =>
          runAsOperator(collectServeFlags(command), context, (operator) =>
            operator.createToken(workspaceId, name),
          ),
        context,
      );
    });
  },
};
