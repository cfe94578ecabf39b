import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { RunningService } from "./running-services.js";

export const devListCommand: HandwrittenCommand<readonly RunningService[]> = {
  commandPath: "dev list",
  order: 5,
  alias: "ls",
  summary: "List the services that run on this machine",
  description:
    "Lists each mgmt dev of your user that runs on this machine: its folder if it runs with --here, its URL, its process, and since " +
    "when. One that was killed is not listed.",
  examples: ["mgmt dev list", "mgmt dev list --output json"],
  define: (command, context) => {
    command.action(async () => {
      const { runDevList } = await import("./run-list.js");
      await runDevList(context);
    });
  },
};
