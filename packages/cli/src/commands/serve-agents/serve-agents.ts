import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

/** Declares the group `mgmt serve agents`. */
export const serveAgentsGroup: HandwrittenGroup = {
  commandPath: "serve agents",
  order: 80,
  summary: "Tokens of agents, which need approvals",
};
