import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

// Deciding is not an operation of the API: these commands call the control surface of `mgmt dev`.

export const devApprovalsGroup: HandwrittenGroup = {
  commandPath: "dev approvals",
  order: 10,
  summary: "Approve or deny the requests of agents",
};
