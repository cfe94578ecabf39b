import { addDryRunOption } from "../../input/dry-run-option.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { DeletedPreview } from "../../preview/delete-preview.js";
import { previewErrors, addPreviewBranchOptions, collectPreviewFlags } from "./options.js";

export const previewDownCommand: HandwrittenCommand<DeletedPreview> = {
  commandPath: "preview down",
  order: 50,
  summary: "Delete the database of a git branch",
  description:
    "Deletes the preview database of a git branch, and then the branch in the project unless it has other databases or " +
    "services. Succeeds if there is nothing to delete.",
  examples: ["mgmt preview down --branch feature/cart --yes"],
  confirms: true,
  errors: previewErrors,
  define: (command, context) => {
    addPreviewBranchOptions(command);
    addDryRunOption(command);
    command.action(async () => {
      const { runPreviewDown } = await import("./run-down.js");
      await runPreviewDown(collectPreviewFlags(command), collectGlobalFlags(command), context);
    });
  },
};
