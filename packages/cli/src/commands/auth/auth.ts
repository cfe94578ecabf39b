import type { GroupDeclaration } from "../../run/program/declaration.js";

/** `mgmt auth`. */
export const authGroup: GroupDeclaration = {
  words: "auth",
  heading: "account",
  order: 40,
  summary: "Log in and out, manage profiles and tokens",
};
