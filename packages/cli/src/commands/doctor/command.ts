import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt doctor`. */
export const defineDoctor: DefineCommand = (command, context) => {
  command.description(
    "Checks what commands depend on: Node.js, the profiles file, the link, the service and the connection to it, the clock, " +
      "the contract, the credential and the default ids. Changes nothing. Exits with 1 if a check fails, and says what to do " +
      "about each problem.",
  );
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => ["mgmt doctor", "mgmt doctor --profile staging", "mgmt doctor --output json"],
  });
  command.action(async () => {
    const { runDoctor } = await import("./run.js");
    await runDoctor(globalFlags(command), context);
  });
};
