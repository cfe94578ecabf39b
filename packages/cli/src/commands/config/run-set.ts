import type { Context, GlobalFlags } from "../../input/context.js";
import { otherServiceUrlError, noProfileToConfigureError } from "../../errors/config-errors.js";
import { hasCredential, isSameUrl } from "../../profiles/profile.js";
import { getSetting } from "./settings.js";
import { changeSetting } from "./change-setting.js";

/** Stores a setting in the profile. Creates a profile for a URL if there is none. */
export const runConfigSet = async (
  key: string,
  rawValue: string,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const setting = getSetting(key);
  const value = await setting.parse(rawValue, context);
  await changeSetting(key, setting, flags, context, (profile, name) => {
    if (setting.profileField !== "baseUrl" || typeof value !== "string") {
      if (!profile) throw noProfileToConfigureError(key);
      return { ...profile, [setting.profileField]: value };
    }
    if (!profile) return { baseUrl: value };
    if (hasCredential(profile) && !isSameUrl(profile.baseUrl, value)) {
      throw otherServiceUrlError(name, profile.baseUrl);
    }
    return { ...profile, baseUrl: value };
  });
};
