import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt whoami`, short for `mgmt me get`. */
export const defineWhoami: DefineCommand = (command, context) => {
  command.description(
    "Asks the service for the user, workspace and credential behind the token. The same as mgmt me get.",
  );
  command.resultOf = "me.get";
  addGlobalOptions(command);
  addSections(command, { Examples: () => ["mgmt whoami", "mgmt whoami --output json"] });
  command.action(async () => {
    const [{ commands }, { runOperation }] = await Promise.all([
      import("../../generated/commands/me.js"),
      import("../../operations/run.js"),
    ]);
    for (const row of commands) {
      const typed = { flags: {}, unset: [] };
      const invocation = { command: row, overlay: {}, ids: [], typed, flags: globalFlags(command) };
      await runOperation({ ...invocation, all: false }, context);
    }
  });
};
