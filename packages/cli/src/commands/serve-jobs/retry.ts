import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { usageError } from "../../errors/usage-errors.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags, runAsOperator } from "../../platform/serve-options.js";

/** A job that runs again. */
export interface PrintedRetry {
  readonly id: string;
}

export const serveJobsRetryCommand: HandwrittenCommand<readonly PrintedRetry[]> = {
  commandPath: "serve jobs retry",
  order: 20,
  summary: "Run failed jobs again",
  description:
    "Runs failed jobs again soon, on any server, as if they had not failed. Prints those that will run; others are left as they are.",
  examples: ["mgmt serve jobs retry --all --config serve.yaml"],
  errors: serveErrors,
  define: (command, context) => {
    command.argument("[job-ids...]", "ids of the jobs, as mgmt serve jobs list shows them");
    command.option("--all", "all jobs that are not repeated any more");
    addServeOptions(command);
    command.action(async (ids: string[]) => {
      const { all = false } = command.opts<{ all?: boolean }>();
      if (all === ids.length > 0) throw usageError("Pass ids of jobs, or --all");
      const { output } = context;
      output.assertPrintsLists();
      const retriedIds = await runAsOperator(collectServeFlags(command), context, (operator) =>
        operator.retryJobs(all ? undefined : ids),
      );
      await output.writeResult(retriedIds.map((id) => ({ id })));
    });
  },
};
