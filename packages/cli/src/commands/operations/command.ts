import { groups } from "../../generated/groups.js";
import type { OperationCommand } from "../../operations/row.js";
import { addGlobalOptions } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** An operation, as `mgmt operations` lists it. */
export interface ListedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly origin: OperationCommand["origin"];
  /** The command that calls it. */
  readonly command: string;
}

/** `mgmt operations`. */
export const defineOperations: DefineCommand = (command, { output }) => {
  command.description("Lists every operation of the API with the command that calls it.");
  addGlobalOptions(command);
  addSections(command, { Examples: () => ["mgmt operations", "mgmt operations --output json"] });
  command.action(async () => {
    const rows = (await Promise.all(groups.map(({ load }) => load()))).flat();
    const operations = rows.map(({ id, method, path, origin, words }): ListedOperation => ({
      operationId: id,
      method,
      path,
      origin,
      command: `mgmt ${words.join(" ")}`,
    }));
    await output.result(operations);
  });
};
