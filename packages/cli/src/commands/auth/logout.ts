import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";

export const logoutCommand: HandwrittenCommand = {
  commandPath: "logout",
  helpGroup: "account",
  order: 20,
  hiddenAliases: ["auth logout"],
  summary: "Log out and forget the credential",
  description:
    "Removes the credential from a profile. A login is also revoked at its authorization server; a service token stays valid.",
  examples: ["mgmt logout", "mgmt logout --profile staging"],
  define: (command, context) => {
    command.action(async () => {
      const { runLogout } = await import("./run-logout.js");
      await runLogout(collectGlobalFlags(command), context);
    });
  },
};
