import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { platformErrors } from "../../platform/platform-errors.js";
import type { Report } from "./run-rehearse.js";

export const rehearseCommand: HandwrittenCommand<Report> = {
  commandPath: "rehearse",
  helpGroup: "provisioning",
  order: 40,
  summary: "Run a command against a local copy, also with faults",
  description:
    "Runs a command against a temporary local service that contains what a manifest describes, and prints what the command " +
    "would change in the real service. With --fault it runs the command again for each fault, and reports whether the " +
    "result is the same.\n\n" +
    "The command gets MGMT_BASE_URL, MGMT_TOKEN and MGMT_WORKSPACE_ID of the local service, MGMT_PROJECT_ID if the manifest " +
    "has one project, no profile, and no standard input. Its output goes to standard error. Copies of databases that are " +
    "not in the manifest are empty.",
  examples: [
    "mgmt rehearse -- ./provision.sh",
    "mgmt rehearse -f shop.yaml --fault databases.create:503:1 -- node provision.js",
    "mgmt rehearse --fault projects.create:lost --output json -- ./provision.sh",
  ],
  errors: {
    ...platformErrors,
    "rehearsal:command_failed": { next: [["rehearse", "--help"]] },
    "rehearsal:not_recovered": { next: [["rehearse", "--help"]] },
  },
  define: (command, context) => {
    command
      .usage("[options] -- <command...>")
      .argument("<command...>", "the command and its arguments")
      .option(
        "-f, --file <path>",
        "manifest, as mgmt export prints it; - for standard input (default: mgmt.yaml)",
      )
      .option(
        "--fault <operation:status:nth>",
        "let the nth request for an operation fail with a status from 400 to 599, or lost to cut the connection after the " +
          "request took effect; nth defaults to 1 (repeatable)",
        (faultText: string, previous: string[] = []): string[] => [...previous, faultText],
      )
      .passThroughOptions();
    command.action(async () => {
      const { file, fault = [] } = command.opts<{ file?: string; fault?: string[] }>();
      const { runRehearse } = await import("./run-rehearse.js");
      await runRehearse({ file, faults: fault, commandLine: command.args }, context);
    });
  },
};
