import type { GroupDeclaration } from "../../run/program/declaration.js";

export const previewGroup: GroupDeclaration = {
  words: "preview",
  heading: "provisioning",
  order: 50,
  summary: "Keep a database for each git branch",
};
