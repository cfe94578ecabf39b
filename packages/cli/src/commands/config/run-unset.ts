import type { Context, GlobalFlags } from "../../input/context.js";
import { neededSetting, noProfileToConfigure } from "../../errors/config-errors.js";
import { settingOf } from "./settings.js";
import { changeSetting } from "./change-setting.js";

/** Removes a setting from the profile. */
export const runConfigUnset = async (key: string, flags: GlobalFlags, context: Context): Promise<void> => {
  const setting = settingOf(key);
  const { field } = setting;
  if (field === "baseUrl") throw neededSetting(key);
  await changeSetting(key, setting, flags, context, (profile) => {
    if (!profile) throw noProfileToConfigure(key);
    const { [field]: _, ...rest } = profile;
    return rest;
  });
};
