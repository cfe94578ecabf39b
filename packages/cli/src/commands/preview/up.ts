import { addDryRunOption } from "../../input/dry-run-option.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { PreviewResult } from "../../preview/deliver-preview.js";
import { previewErrors, addPreviewBranchOptions } from "./options.js";
import { addDeliveryOptions, collectDeliveryOptions } from "./delivery-options.js";

export const previewUpCommand: HandwrittenCommand<PreviewResult> = {
  commandPath: "preview up",
  order: 10,
  summary: "Create the database of a git branch unless it exists",
  description:
    "Creates the preview database of a git branch as a copy of the default branch's database, in the same region, waits until it " +
    "is ready, and prints its connection string. If it exists already, prints its connection string again.",
  examples: [
    "mgmt preview up",
    "mgmt preview up --github-env DATABASE_URL",
    'mgmt preview up --expires 7d --setup "npm run migrate"',
  ],
  errors: previewErrors,
  define: (command, context) => {
    addPreviewBranchOptions(command);
    addDeliveryOptions(command);
    command.option("--setup-again", "run the setup also if one has succeeded already");
    addDryRunOption(command);
    command.action(async () => {
      const options = collectDeliveryOptions(command);
      const { runPreviewUp } = await import("./run-up.js");
      await runPreviewUp(options, collectGlobalFlags(command), context);
    });
  },
};
