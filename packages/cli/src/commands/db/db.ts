import type { GroupDeclaration } from "../../run/program/declaration.js";

export const dbGroup: GroupDeclaration = {
  words: "db",
  heading: "machine",
  order: 70,
  summary: "Dump, restore, import, seed and copy databases",
};
