import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { SchemaDiff } from "./run-diff.js";
import { previewErrors, addPreviewBranchOptions, collectPreviewFlags } from "./options.js";

export const previewDiffCommand: HandwrittenCommand<SchemaDiff> = {
  commandPath: "preview diff",
  order: 40,
  summary: "Compare the schema of a git branch's database with its source",
  description:
    "Shows how the schema of a git branch's preview database differs from the schema of its source, as a unified " +
    "diff. Needs psql, and a pg_dump that is not older than the database's Postgres.",
  examples: ["mgmt preview diff", "mgmt preview diff --exit-code"],
  errors: previewErrors,
  define: (command, context) => {
    addPreviewBranchOptions(command);
    command.option("--exit-code", "exit with 1 if the schemas differ, as git diff does");
    command.action(async () => {
      const { exitCode = false } = command.opts<{ exitCode?: boolean }>();
      const { runPreviewDiff } = await import("./run-diff.js");
      await runPreviewDiff(
        { ...collectPreviewFlags(command), exitCode },
        collectGlobalFlags(command),
        context,
      );
    });
  },
};
