import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt auth token`. */
export const defineAuthToken: DefineCommand = (command, context) => {
  command.description(
    "Prints the token that commands send, refreshed first if it is about to expire. It is a secret: keep it out of logs.",
  );
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => ['curl -H "Authorization: Bearer $(mgmt auth token)" "$MGMT_BASE_URL/v1/projects"'],
  });
  command.action(async () => {
    const { runAuthToken } = await import("./run.js");
    await runAuthToken(globalFlags(command), context);
  });
};
