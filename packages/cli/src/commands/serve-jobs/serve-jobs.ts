import type { GroupDeclaration } from "../../command-line/command-declaration.js";

/** Declares the group `mgmt serve jobs`. */
export const serveJobsGroup: GroupDeclaration = {
  commandPath: "serve jobs",
  order: 100,
  summary: "Work on databases that waits or has failed",
};
