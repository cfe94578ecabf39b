import type { GroupDeclaration } from "../../command-line/command-declaration.js";

export const serveApprovalsGroup: GroupDeclaration = {
  commandPath: "serve approvals",
  order: 90,
  summary: "Approve or deny the requests of agents",
};
