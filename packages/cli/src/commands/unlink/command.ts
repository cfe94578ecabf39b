import { addGlobalOptions } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt unlink`. */
export const defineUnlink: DefineCommand = (command, context) => {
  command.description(
    "Deletes the .mgmt/link.json that applies here: the one in this folder, else in the nearest folder above.",
  );
  addGlobalOptions(command);
  addSections(command, { Examples: () => ["mgmt unlink"] });
  command.action(async () => {
    const { runUnlink } = await import("./run.js");
    await runUnlink(context);
  });
};
