import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

/** Declares the group `mgmt preview`. */
export const previewGroup: HandwrittenGroup = {
  commandPath: "preview",
  helpGroup: "provisioning",
  order: 50,
  summary: "Keep a database for each git branch",
};
