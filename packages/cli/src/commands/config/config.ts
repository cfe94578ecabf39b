import type { GroupDeclaration } from "../../command-line/command-declaration.js";

/** Declares the group `mgmt config`. */
export const configGroup: GroupDeclaration = {
  commandPath: "config",
  heading: "account",
  order: 50,
  summary: "Show and change the defaults of commands",
};
