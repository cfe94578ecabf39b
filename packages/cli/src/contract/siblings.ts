import { groups } from "./generated/groups.js";
import type { GeneratedCommand } from "./generated-command.js";

/** Returns the operation with another verb on the same resource type: for `databases create`, `databases list`. */
export const findSiblingCommand = async (
  commandPath: readonly string[],
  verb: string,
): Promise<GeneratedCommand | undefined> => {
  const siblingPath = [...commandPath.slice(0, -1), verb].join(" ");
  const definitions = (await groups.find(({ name }) => name === commandPath[0])?.load()) ?? [];
  return definitions.find((definition) => definition.commandPath.join(" ") === siblingPath);
};
