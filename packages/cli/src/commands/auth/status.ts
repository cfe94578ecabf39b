import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { AuthStatus } from "./run-status.js";

export const authStatusCommand: HandwrittenCommand<AuthStatus> = {
  commandPath: "auth status",
  order: 40,
  summary: "Show which service and credential commands use",
  description:
    "Shows the profile, URLs and credential that commands use, where each value comes from, and when the token " +
    "expires. Sends no request. Exits with 4 if there is no credential.",
  examples: ["mgmt auth status", "mgmt auth status --output json"],
  define: (command, context) => {
    command.action(async () => {
      const { runAuthStatus } = await import("./run-status.js");
      await runAuthStatus(collectGlobalFlags(command), context);
    });
  },
};
