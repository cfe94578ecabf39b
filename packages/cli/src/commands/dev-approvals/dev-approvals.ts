import type { GroupDeclaration } from "../../command-line/command-declaration.js";

// Deciding is not an operation of the API: these commands call the control surface of `mgmt dev`.

export const devApprovalsGroup: GroupDeclaration = {
  commandPath: "dev approvals",
  order: 10,
  summary: "Approve or deny the requests of agents",
};
