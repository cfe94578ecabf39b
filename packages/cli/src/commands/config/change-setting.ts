import type { Context, GlobalFlags } from "../../input/context.js";
import { chooseProfile } from "../../profiles/active-profile.js";
import { type Profile, findProfile } from "../../profiles/profile.js";
import { updateProfiles } from "../../profiles/update-profiles.js";
import { warnAboutOverride } from "../../profiles/warn-overridden.js";
import { resolveEffectiveValue, type PrintedSetting, type Setting } from "./settings.js";

/** The profile that an address is stored in if there is none. */
const defaultProfileName = "default";

/** Changes the profile, and says if something else still overrides it. */
export const changeSetting = async (
  key: string,
  setting: Setting,
  flags: GlobalFlags,
  context: Context,
  changeProfile: (profile: Profile | undefined, name: string) => Profile,
): Promise<void> => {
  const { file, name } = chooseProfile(flags, context);
  const profileName = name?.value ?? defaultProfileName;
  await updateProfiles(file, (all) => {
    const changedProfile = changeProfile(findProfile(all, profileName), profileName);
    const activeName = findProfile(all, all.active) ? all.active : profileName;
    return {
      ...all,
      ...(activeName !== undefined && { active: activeName }),
      profiles: { ...all.profiles, [profileName]: changedProfile },
    };
  });
  const { output } = context;
  output.info(`Profile ${profileName} was changed.`);
  const choice = chooseProfile(flags, context);
  const { baseUrl: _, output: __, pager: ___, ...otherFlags } = flags;
  const effectiveSetting = resolveEffectiveValue(setting, { flags: otherFlags, context, choice });
  if (
    effectiveSetting.from !== null &&
    effectiveSetting.from !== `profile ${profileName}` &&
    effectiveSetting.from !== "default"
  ) {
    await warnAboutOverride(
      { value: effectiveSetting.value ?? "", from: effectiveSetting.from },
      `profile ${profileName}`,
      context,
    );
  }
  const result: PrintedSetting = { key, ...effectiveSetting };
  await output.result(result);
};
