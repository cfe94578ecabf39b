import { addGlobalOptions } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt rehearse`. */
export const defineRehearse: DefineCommand = (command, context) => {
  command
    .usage("[options] -- <command...>")
    .description(
      "Runs a command against a temporary local service that contains what a manifest describes, and prints what the command " +
        "would change in the real service. With --fault it runs the command again for each fault, and reports whether the " +
        "result is the same.\n\n" +
        "The command gets MGMT_BASE_URL, MGMT_TOKEN and MGMT_WORKSPACE_ID of the local service, MGMT_PROJECT_ID if the manifest " +
        "has one project, no profile, and no standard input. Its output goes to standard error. Copies of databases that are " +
        "not in the manifest are empty.",
    )
    .argument("<command...>", "the command and its arguments")
    .option(
      "-f, --file <path>",
      "manifest, as mgmt export prints it; - for standard input (default: mgmt.yaml)",
    )
    .option(
      "--fault <operation:status:nth>",
      "let the nth request for an operation fail with a status from 400 to 599, or lost to cut the connection after the " +
        "request took effect; nth defaults to 1 (repeatable)",
      (text: string, previous: string[] = []): string[] => [...previous, text],
    )
    .passThroughOptions();
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [
      "mgmt rehearse -- ./provision.sh",
      "mgmt rehearse -f shop.yaml --fault databases.create:503:1 -- node provision.js",
      "mgmt rehearse --fault projects.create:lost --output json -- ./provision.sh",
    ],
  });
  command.action(async () => {
    const { file, fault = [] } = command.opts<{ file?: string; fault?: string[] }>();
    const { runRehearse } = await import("./run.js");
    await runRehearse({ file, faults: fault, words: command.args }, context);
  });
};
