import type { GroupDeclaration } from "../../command-line/command-declaration.js";

/** Declares the group `mgmt config`. */
export const configGroup: GroupDeclaration = {
  words: "config",
  heading: "account",
  order: 50,
  summary: "Show and change the defaults of commands",
};
