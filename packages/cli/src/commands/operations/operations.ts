import { groups } from "../../contract/generated/groups.js";
import type { GeneratedCommand } from "../../contract/generated-command.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

/** An operation, as `mgmt operations` lists it. */
export interface ListedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly origin: GeneratedCommand["origin"];
  /** The command that calls it. */
  readonly command: string;
}

export const operationsCommand: HandwrittenCommand<readonly ListedOperation[]> = {
  commandPath: "operations",
  helpGroup: "about",
  order: 40,
  summary: "List all operations of the API",
  description: "Lists every operation of the API with the command that calls it.",
  examples: ["mgmt operations", "mgmt operations --output json"],
  define: (command, { output }) => {
    command.action(async () => {
      const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
      const operations = definitions.map(({ id, method, path, origin, commandPath }): ListedOperation => ({
        operationId: id,
        method,
        path,
        origin,
        command: `mgmt ${commandPath.join(" ")}`,
      }));
      await output.writeResult(operations);
    });
  },
};
