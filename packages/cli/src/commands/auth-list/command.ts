import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt auth list`. */
export const defineAuthList: DefineCommand = (command, context) => {
  command.description(
    "Lists the profiles: the service of each, who its credential belongs to, where the credential is stored, and when it " +
      "expires. Marks the profile that commands use here. Sends no request and prints no secret.",
  );
  addGlobalOptions(command);
  addSections(command, { Examples: () => ["mgmt auth list", "mgmt auth list --output json"] });
  command.action(async () => {
    const { runAuthList } = await import("./run.js");
    await runAuthList(globalFlags(command), context);
  });
};
