import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { serveErrors } from "../../platform/serve-errors.js";
import { addServeOptions, collectServeFlags } from "../../platform/serve-options.js";
import type { PrintedServeCheck } from "./printed-check.js";

export const serveCheckCommand: HandwrittenCommand<readonly PrintedServeCheck[]> = {
  commandPath: "serve check",
  order: 10,
  summary: "Check the settings, Postgres and its privileges",
  description:
    "Checks everything that a server needs, with the SQL that an administrator of Postgres has to run for what is missing. Changes nothing. " +
    "Exits with 1 if a check fails.",
  examples: ["mgmt serve check --config serve.yaml", "mgmt serve check --config serve.yaml --output json"],
  errors: serveErrors,
  define: (command, context) => {
    addServeOptions(command);
    command.action(async () => {
      const { runServeCheck } = await import("./run-check.js");
      await runServeCheck(collectServeFlags(command), context);
    });
  },
};
