import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

/** `mgmt whoami`, the same as `mgmt me get`. */
export const whoamiCommand: HandwrittenCommand = {
  commandPath: "whoami",
  helpGroup: "account",
  order: 30,
  summary: "Show who the credential belongs to",
  description: "Asks the service for the user, workspace and credential behind the token.",
  examples: ["mgmt whoami", "mgmt whoami --output json"],
  resultOf: "me.get",
  define: (command, context) => {
    command.action(async () => {
      const [{ commands }, { runOperation }] = await Promise.all([
        import("../../contract/generated/commands/me.js"),
        import("../../run/run.js"),
      ]);
      for (const definition of commands) {
        const commandLineValues = { flags: {}, unset: [] };
        const invocation = {
          command: definition,
          override: {},
          ids: [],
          commandLineValues,
          flags: collectGlobalFlags(command),
        };
        await runOperation({ ...invocation, allPages: false }, context);
      }
    });
  },
};
