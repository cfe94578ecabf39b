import type { GroupDeclaration } from "../../command-line/command-declaration.js";

export const serveJobsGroup: GroupDeclaration = {
  words: "serve jobs",
  order: 100,
  summary: "Work on databases that waits or has failed",
};
