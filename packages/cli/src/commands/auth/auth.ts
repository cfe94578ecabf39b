import type { HandwrittenGroup } from "../../command-line/handwritten-command.js";

export const authGroup: HandwrittenGroup = {
  commandPath: "auth",
  heading: "account",
  order: 40,
  summary: "Log in and out, manage profiles and tokens",
};
