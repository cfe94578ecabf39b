import type { Command } from "commander";
import { groups } from "../generated/groups.js";
import { addGlobalOptions } from "../program/global-options.js";
import type { Context } from "../run/context.js";

/** Every operation of the API and the command that calls it. */
export const defineOperations = (command: Command, { output }: Context): void => {
  command
    .summary("All operations of the API")
    .description("Every operation of the API and the command that calls it.");
  addGlobalOptions(command);
  command.action(async () => {
    const rows = (await Promise.all(groups.map(({ load }) => load()))).flat();
    const operations = rows.map(({ id, method, path, origin, words }) => ({
      operationId: id,
      method,
      path,
      origin,
      command: `mgmt ${words.join(" ")}`,
    }));
    await output.answer(operations);
  });
};
