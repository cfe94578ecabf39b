import type { Context, GlobalFlags } from "../../input/context.js";
import { settingNotSetError } from "../../errors/config-errors.js";
import { selectExistingProfile } from "../../profiles/active-profile.js";
import { resolveEffectiveValue, type PrintedSetting, getSetting } from "./settings.js";

/** Prints one setting. Throws `config:not_set` if it has no value. */
export const runConfigGet = async (key: string, flags: GlobalFlags, context: Context): Promise<void> => {
  const setting = getSetting(key);
  const selectedProfile = selectExistingProfile(flags, context);
  const effectiveValue = resolveEffectiveValue(setting, { flags, context, selectedProfile });
  if (effectiveValue.value === null) throw settingNotSetError(key);
  const { output } = context;
  const { fields, query } = output.presentation;
  // A format that the profile stores must not break `$(mgmt config get …)`.
  if (flags.output === undefined && !fields && !query) return output.writeExact(effectiveValue.value);
  const result: PrintedSetting = { key, ...effectiveValue };
  await output.writeResult(result);
};
