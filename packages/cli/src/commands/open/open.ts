import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { buildExampleId } from "../../command-line/example-id.js";
import { addProjectOption } from "../../command-line/project-option.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { OpenResult } from "./run-open.js";

export const openCommand: HandwrittenCommand<OpenResult> = {
  commandPath: "open",
  helpGroup: "about",
  order: 20,
  summary: "Open a resource or the API's description in the browser",
  description:
    "Opens a resource in the browser: the domain of a service or deployment, and the URL that the API gives any other " +
    "resource. Without a terminal or a browser, and with --no-browser, it prints the URL instead.",
  examples: [
    "mgmt open docs",
    "mgmt open shop/reports",
    `mgmt open ${buildExampleId(idPrefixes.app)}`,
    "mgmt open --no-browser",
  ],
  define: (command, context) => {
    command
      .argument(
        "[target]",
        "id or name of a resource, or docs for the description of the API; default: the default project",
      )
      .option("--browser", "open a browser even without a terminal, over SSH or in a container")
      .option("--no-browser", "print the URL instead of opening a browser");
    addProjectOption(command);
    command.completeArgument = async ({ earlierArguments, listResources }) => {
      if (earlierArguments.length > 0) return [];
      const resourceTypes = ["project", "database", "app"] as const;
      return ["docs", ...(await Promise.all(resourceTypes.map(listResources))).flat()];
    };
    command.action(async () => {
      const { browser } = command.opts<{ browser?: boolean }>();
      const { runOpen } = await import("./run-open.js");
      await runOpen({ target: command.args[0], browser }, collectGlobalFlags(command), context);
    });
  },
};
