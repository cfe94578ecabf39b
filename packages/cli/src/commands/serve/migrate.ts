import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, loadServeSettings } from "../../platform/serve-options.js";

export const serveMigrateCommand: HandwrittenCommand = {
  commandPath: "serve migrate",
  order: 50,
  summary: "Bring the records of an earlier version to this one",
  description:
    "Updates the schema of the records, while servers of the version before continue to work. Does nothing if it is current.",
  examples: ["mgmt serve migrate --config serve.yaml"],
  errors: serveErrors,
  define: (command, context) => {
    addServeOptions(command);
    command.action(async () => {
      const { serve, settings } = await loadServeSettings(collectServeFlags(command), context);
      await serve.migrateService(settings);
      context.output.info("The records have the schema of this version.");
    });
  },
};
