import type { Context, GlobalFlags } from "../../input/context.js";
import { neededSettingError, noProfileToConfigureError } from "../../errors/config-errors.js";
import { getSetting } from "./settings.js";
import { changeSetting } from "./change-setting.js";

/** Removes a setting from the profile. */
export const runConfigUnset = async (key: string, flags: GlobalFlags, context: Context): Promise<void> => {
  const setting = getSetting(key);
  const { profileField } = setting;
  if (profileField === "baseUrl") throw neededSettingError(key);
  await changeSetting(key, setting, flags, context, (profile) => {
    if (!profile) throw noProfileToConfigureError(key);
    const { [profileField]: _, ...remainingProfile } = profile;
    return remainingProfile;
  });
};
