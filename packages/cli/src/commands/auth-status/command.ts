import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt auth status`. */
export const defineAuthStatus: DefineCommand = (command, context) => {
  command.description(
    "Shows the profile, addresses and credential that commands use, where each value comes from, and when the token " +
      "expires. Sends no request. Exits with 4 if there is no credential.",
  );
  addGlobalOptions(command);
  addSections(command, { Examples: () => ["mgmt auth status", "mgmt auth status --output json"] });
  command.action(async () => {
    const { runAuthStatus } = await import("./run.js");
    await runAuthStatus(globalFlags(command), context);
  });
};
