import type { Context, GlobalFlags } from "../../input/context.js";
import { settingNotSet } from "../../errors/config-errors.js";
import { activeProfile } from "../../profiles/active-profile.js";
import { effectiveValue, type PrintedSetting, settingOf } from "./settings.js";

/** Prints one setting. Throws `config:not_set` if it has no value. */
export const runConfigGet = async (key: string, flags: GlobalFlags, context: Context): Promise<void> => {
  const setting = settingOf(key);
  const choice = activeProfile(flags, context);
  const effective = effectiveValue(setting, { flags, context, choice });
  if (effective.value === null) throw settingNotSet(key);
  const { output } = context;
  const { fields, query } = output.presentation;
  // A format that the profile stores must not break `$(mgmt config get …)`.
  if (flags.output === undefined && !fields && !query) return output.exact(effective.value);
  const result: PrintedSetting = { key, ...effective };
  await output.result(result);
};
