import type { ServiceJob } from "@mgmt/platform/serve";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, runAsOperator } from "../../platform/serve-options.js";

export const serveJobsListCommand: HandwrittenCommand<readonly ServiceJob[]> = {
  commandPath: "serve jobs list",
  order: 10,
  alias: "ls",
  summary: "List the jobs that wait, run, or have failed",
  description:
    "Lists the work on databases that waits, runs, or has failed so often that it is not repeated any more.",
  examples: ["mgmt serve jobs list --config serve.yaml"],
  errors: serveErrors,
  define: (command, context) => {
    addServeOptions(command);
    command.action(async () => {
      const { output } = context;
      output.assertPrintsLists();
      await output.writeResult(
        await runAsOperator(collectServeFlags(command), context, (operator) => operator.listJobs()),
      );
    });
  },
};
