import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

export const authGroup: HandwrittenGroup = {
  commandPath: "auth",
  helpGroup: "account",
  order: 40,
  summary: "Log in and out, manage profiles and tokens",
};
