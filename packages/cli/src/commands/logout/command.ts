import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt logout` and `mgmt auth logout`. */
export const defineLogout: DefineCommand = (command, context) => {
  command.description(
    "Removes the credential from a profile. A login is also revoked at its authorization server; a service token stays valid.",
  );
  addGlobalOptions(command);
  addSections(command, { Examples: () => ["mgmt logout", "mgmt logout --profile staging"] });
  command.action(async () => {
    const { runLogout } = await import("./run.js");
    await runLogout(globalFlags(command), context);
  });
};
