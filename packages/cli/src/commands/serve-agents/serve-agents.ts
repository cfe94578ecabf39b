import type { GroupDeclaration } from "../../command-line/declaration.js";

export const serveAgentsGroup: GroupDeclaration = {
  words: "serve agents",
  order: 80,
  summary: "Tokens of agents, which need approvals",
};
