import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { ListedProfile } from "./run-list.js";

export const authListCommand: HandwrittenCommand<readonly ListedProfile[]> = {
  commandPath: "auth list",
  order: 30,
  alias: "ls",
  summary: "List the profiles and whose credential each has",
  description:
    "Lists the profiles: the service of each, who its credential belongs to, where the credential is stored, and when it " +
    "expires. Marks the profile that commands use here. Sends no request and prints no secret.",
  examples: ["mgmt auth list", "mgmt auth list --output json"],
  define: (command, context) => {
    command.action(async () => {
      const { runAuthList } = await import("./run-list.js");
      await runAuthList(collectGlobalFlags(command), context);
    });
  },
};
