import type { GroupDeclaration } from "../../command-line/command-declaration.js";

export const authGroup: GroupDeclaration = {
  commandPath: "auth",
  heading: "account",
  order: 40,
  summary: "Log in and out, manage profiles and tokens",
};
