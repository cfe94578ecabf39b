import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

/** Declares the group `mgmt config`. */
export const configGroup: HandwrittenGroup = {
  commandPath: "config",
  helpGroup: "account",
  order: 50,
  summary: "Show and change the defaults of commands",
};
