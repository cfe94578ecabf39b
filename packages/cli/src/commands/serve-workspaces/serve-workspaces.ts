import type { GroupDeclaration } from "../../command-line/command-declaration.js";

/** Declares the group `mgmt serve workspaces`. */
export const serveWorkspacesGroup: GroupDeclaration = {
  commandPath: "serve workspaces",
  order: 60,
  summary: "Workspaces of the service, and their members",
};
