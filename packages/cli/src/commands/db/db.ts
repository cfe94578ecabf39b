import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

/** Declares the group `mgmt db`. */
export const dbGroup: HandwrittenGroup = {
  commandPath: "db",
  helpGroup: "machine",
  order: 70,
  summary: "Dump, restore, import, seed and copy databases",
};
