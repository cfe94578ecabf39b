import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { ListedPreview } from "./run-list.js";
import { previewErrors, addPreviewProjectOptions, collectPreviewFlags } from "./options.js";

export const previewListCommand: HandwrittenCommand<readonly ListedPreview[]> = {
  commandPath: "preview list",
  order: 20,
  alias: "ls",
  summary: "List the databases of git branches",
  description:
    "Lists the preview databases of a project, with how their branches stand in git: checked-out, exists, gone, not-pushed, " +
    "other-repository or unknown.",
  examples: ["mgmt preview list", "mgmt preview list -o json"],
  errors: previewErrors,
  define: (command, context) => {
    addPreviewProjectOptions(command);
    command.action(async () => {
      const { runPreviewList } = await import("./run-list.js");
      await runPreviewList(collectPreviewFlags(command), collectGlobalFlags(command), context);
    });
  },
};
