import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";

export const serveSchemaCommand: HandwrittenCommand = {
  commandPath: "serve schema",
  order: 20,
  summary: "Print the JSON Schema of the settings",
  description:
    "Prints the JSON Schema of the file of --config, with every setting, its default, and its variable. Editors can check the file with it.",
  examples: ["mgmt serve schema", "mgmt serve schema --query properties.limits"],
  errors: serveErrors,
  define: (command, context) => {
    command.action(async () => {
      const { loadServe } = await import("../../platform/load-platform.js");
      const { serveSettingsSchema } = await loadServe(context);
      const { output } = context;
      if (output.format === "table" && !output.presentation.query) output.format = "json";
      await output.writeResult(serveSettingsSchema);
    });
  },
};
