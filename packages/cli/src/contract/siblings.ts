import { groups } from "./generated/groups.js";
import type { OperationCommand } from "./row.js";

/** Returns the operation with another verb on the same kind of resource: for `databases create`, `databases list`. */
export const siblingOf = async (
  words: readonly string[],
  verb: string,
): Promise<OperationCommand | undefined> => {
  const line = [...words.slice(0, -1), verb].join(" ");
  const rows = (await groups.find(({ name }) => name === words[0])?.load()) ?? [];
  return rows.find((row) => row.words.join(" ") === line);
};
