import type { MgmtCommand } from "../../command-line/command.js";
import { addTermSection } from "../../command-line/help-sections.js";
import type { CompleteArgument } from "../../command-line/argument-completion.js";
import { settings } from "./settings.js";

/** The keys that users type. */
export const settingKeys = Object.keys(settings);

/** Adds the list of the keys to the help. */
export const addSettingKeysSection = (command: MgmtCommand): void => {
  addTermSection(command, "Keys", () =>
    Object.entries(settings).map(([key, { help }]) => [key, help] as const),
  );
};

/** The argument that names a setting. */
export const settingKeyArgument = ["<key>", `one of: ${settingKeys.join(", ")}`] as const;

/** Completes the argument that names a setting. */
export const completeSettingKey: CompleteArgument = ({ earlierArguments }) =>
  earlierArguments.length === 0 ? settingKeys : [];
