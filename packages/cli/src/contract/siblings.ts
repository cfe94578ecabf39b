import { groups } from "./generated/groups.js";
import type { CommandDefinition } from "./command-definition.js";

/** Returns the operation with another verb on the same kind of resource: for `databases create`, `databases list`. */
export const findSiblingCommand = async (
  commandPath: readonly string[],
  verb: string,
): Promise<CommandDefinition | undefined> => {
  const siblingPath = [...commandPath.slice(0, -1), verb].join(" ");
  const definitions = (await groups.find(({ name }) => name === commandPath[0])?.load()) ?? [];
  return definitions.find((definition) => definition.commandPath.join(" ") === siblingPath);
};
