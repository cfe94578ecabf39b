import { addDryRunOption } from "../../input/dry-run-option.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { ResetResult } from "./run-reset.js";
import { previewErrors, addPreviewBranchOptions } from "./options.js";
import { addDeliveryOptions, collectDeliveryOptions } from "./delivery-options.js";

export const previewResetCommand: HandwrittenCommand<ResetResult> = {
  commandPath: "preview reset",
  order: 30,
  summary: "Replace the database of a git branch by a fresh copy",
  description:
    "Replaces the preview database of a git branch by a fresh copy of its source. The new database has another id and connection " +
    "string. With --from-backup, the database is restored in place instead, and its connection strings keep working.",
  examples: ["mgmt preview reset --yes", 'mgmt preview reset --yes --setup "npm run migrate"'],
  confirms: true,
  errors: previewErrors,
  define: (command, context) => {
    addPreviewBranchOptions(command);
    command.option(
      "--from-backup [backup-id]",
      "restore a backup of the source, the latest one unless an id is given",
    );
    addDeliveryOptions(command);
    addDryRunOption(command);
    command.action(async () => {
      const { fromBackup } = command.opts<{ fromBackup?: string | true }>();
      const options = collectDeliveryOptions(command);
      const { runPreviewReset } = await import("./run-reset.js");
      await runPreviewReset(
        { ...options, fromBackup: fromBackup === true ? "latest" : fromBackup },
        collectGlobalFlags(command),
        context,
      );
    });
  },
};
