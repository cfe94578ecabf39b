import type { GroupDeclaration } from "../../command-line/command-declaration.js";

export const serveTokensGroup: GroupDeclaration = {
  words: "serve tokens",
  order: 70,
  summary: "Service tokens of a workspace",
};
