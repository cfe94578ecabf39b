import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

/** Declares the group `mgmt serve workspaces`. */
export const serveWorkspacesGroup: HandwrittenGroup = {
  commandPath: "serve workspaces",
  order: 60,
  summary: "Workspaces of the service, and their members",
};
