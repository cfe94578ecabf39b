import type { MgmtCommand } from "../../command-line/command.js";
import { addRows } from "../../command-line/help-sections.js";
import type { CompleteArgument } from "../../command-line/completion.js";
import { settings } from "./settings.js";

/** The keys that users type. */
export const settingKeys = Object.keys(settings);

/** Adds the list of the keys to the help. */
export const addKeysSection = (command: MgmtCommand): void => {
  addRows(command, "Keys", () => Object.entries(settings).map(([key, { help }]) => [key, help] as const));
};

/** The argument that names a setting. */
export const keyArgument = ["<key>", `one of: ${settingKeys.join(", ")}`] as const;

/** Completes the argument that names a setting. */
export const completeKey: CompleteArgument = ({ earlierArguments }) =>
  earlierArguments.length === 0 ? settingKeys : [];
