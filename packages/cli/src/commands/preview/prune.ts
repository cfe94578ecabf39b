import { parsePeriod } from "../../input/duration.js";
import { addDryRunOption } from "../../input/dry-run-option.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { PrunedPreview } from "./run-prune.js";
import { previewErrors, addPreviewProjectOptions, collectPreviewFlags } from "./options.js";

export const previewPruneCommand: HandwrittenCommand<readonly PrunedPreview[]> = {
  commandPath: "preview prune",
  order: 60,
  summary: "Delete the databases that expired or whose git branch is gone",
  description:
    "Deletes the preview databases of a git repository that have expired, and those whose branch was in its remote and is gone " +
    "from there. Says first what it deletes and keeps, and why. Run it in a clone of the repository.",
  examples: ["mgmt preview prune --dry-run", "mgmt preview prune --yes"],
  confirms: true,
  errors: previewErrors,
  define: (command, context) => {
    addPreviewProjectOptions(command);
    command.option("--min-age <time>", "keep younger previews unless they have expired (default: 1d)");
    addDryRunOption(command);
    command.action(async () => {
      const { minAge = "1d" } = command.opts<{ minAge?: string }>();
      const minAgeMs = parsePeriod(minAge, "--min-age");
      const { runPreviewPrune } = await import("./run-prune.js");
      await runPreviewPrune(
        { ...collectPreviewFlags(command), minAgeMs },
        collectGlobalFlags(command),
        context,
      );
    });
  },
};
