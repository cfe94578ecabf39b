import type { GroupDeclaration } from "../../command-line/command-declaration.js";

/** Declares the group `mgmt db`. */
export const dbGroup: GroupDeclaration = {
  commandPath: "db",
  heading: "machine",
  order: 70,
  summary: "Dump, restore, import, seed and copy databases",
};
