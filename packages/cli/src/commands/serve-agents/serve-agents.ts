import type { GroupDeclaration } from "../../command-line/command-declaration.js";

/** Declares the group `mgmt serve agents`. */
export const serveAgentsGroup: GroupDeclaration = {
  commandPath: "serve agents",
  order: 80,
  summary: "Tokens of agents, which need approvals",
};
