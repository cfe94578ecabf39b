import type { ServiceStatus } from "@mgmt/platform/serve";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, loadServeSettings } from "../../platform/serve-options.js";

export const serveStatusCommand: HandwrittenCommand<ServiceStatus> = {
  commandPath: "serve status",
  order: 40,
  summary: "Count databases by status, and jobs that wait",
  description:
    "Counts databases by status, and jobs that wait, and says how far the clock of Postgres is from the clock of this machine. Reads the records, " +
    "so that no server has to run.",
  examples: ["mgmt serve status --config serve.yaml"],
  errors: serveErrors,
  define: (command, context) => {
    addServeOptions(command);
    command.action(async () => {
      const { serve, settings } = await loadServeSettings(collectServeFlags(command), context);
      await context.output.writeResult(await serve.readServiceStatus(settings));
    });
  },
};
