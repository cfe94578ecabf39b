import { idPrefixes } from "../../generated/id-prefixes.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections, exampleId } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt open`. */
export const defineOpen: DefineCommand = (command, context) => {
  command
    .description(
      "Opens a resource in the browser: the domain of a service or deployment, and the URL that the API gives any other " +
        "resource. Without a terminal or a browser, and with --no-browser, it prints the URL instead.",
    )
    .argument(
      "[target]",
      "id or name of a resource, or docs for the description of the API; default: the default project",
    )
    .option("--browser", "open a browser even without a terminal, over SSH or in a container")
    .option("--no-browser", "print the URL instead of opening a browser");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => [
      "mgmt open docs",
      "mgmt open shop/reports",
      `mgmt open ${exampleId(idPrefixes.app)}`,
      "mgmt open --no-browser",
    ],
  });
  command.completeArgument = async ({ typed, resources }) => {
    if (typed.length > 0) return [];
    const kinds = ["project", "database", "app"] as const;
    return ["docs", ...(await Promise.all(kinds.map(resources))).flat()];
  };
  command.action(async () => {
    const { browser } = command.opts<{ browser?: boolean }>();
    const { runOpen } = await import("./run.js");
    await runOpen({ target: command.args[0], browser }, globalFlags(command), context);
  });
};
