import type { GroupDeclaration } from "../../command-line/command-declaration.js";

/** Declares the group `mgmt preview`. */
export const previewGroup: GroupDeclaration = {
  commandPath: "preview",
  heading: "provisioning",
  order: 50,
  summary: "Keep a database for each git branch",
};
