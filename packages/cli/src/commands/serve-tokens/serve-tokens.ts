import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

/** Declares the group `mgmt serve tokens`. */
export const serveTokensGroup: HandwrittenGroup = {
  commandPath: "serve tokens",
  order: 70,
  summary: "Service tokens of a workspace",
};
