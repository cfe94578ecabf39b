import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { RunningService } from "./running-services.js";

export const devStopCommand: HandwrittenCommand<readonly RunningService[]> = {
  commandPath: "dev stop",
  order: 7,
  summary: "Stop the service of this folder",
  description:
    "Stops the mgmt dev --here of this folder, and waits until it has ended. Its data stays. Does nothing if it is not running. With --all, " +
    "stops each mgmt dev that mgmt dev list lists.",
  examples: ["mgmt dev stop", "mgmt dev stop --all"],
  define: (command, context) => {
    command.option("--all", "stop every mgmt dev of your user on this machine");
    command.action(async () => {
      const { runDevStop } = await import("./run-stop.js");
      await runDevStop(command.opts<{ all?: boolean }>().all === true, context);
    });
  },
};
