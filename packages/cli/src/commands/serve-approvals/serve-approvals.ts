import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

export const serveApprovalsGroup: HandwrittenGroup = {
  commandPath: "serve approvals",
  order: 90,
  summary: "Approve or deny the requests of agents",
};
