import type { GroupDeclaration } from "../../command-line/command-declaration.js";

/** Declares the group `mgmt serve tokens`. */
export const serveTokensGroup: GroupDeclaration = {
  commandPath: "serve tokens",
  order: 70,
  summary: "Service tokens of a workspace",
};
