import { groups } from "../../generated/groups.js";
import { addGlobalOptions } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt operations`. */
export const defineOperations: DefineCommand = (command, { output }) => {
  command.description("Lists every operation of the API with the command that calls it.");
  addGlobalOptions(command);
  addSections(command, { Examples: () => ["mgmt operations", "mgmt operations --output json"] });
  command.action(async () => {
    const rows = (await Promise.all(groups.map(({ load }) => load()))).flat();
    const operations = rows.map(({ id, method, path, origin, words }) => ({
      operationId: id,
      method,
      path,
      origin,
      command: `mgmt ${words.join(" ")}`,
    }));
    await output.result(operations);
  });
};
