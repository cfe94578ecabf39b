import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

/** Declares the group `mgmt serve jobs`. */
export const serveJobsGroup: HandwrittenGroup = {
  commandPath: "serve jobs",
  order: 100,
  summary: "Work on databases that waits or has failed",
};
