import type { Context, GlobalFlags } from "../../input/context.js";
import { selectExistingProfile, selectProfile } from "../../profiles/active-profile.js";
import { type Profile, findProfile } from "../../profiles/profile.js";
import { updateProfiles } from "../../profiles/update-profiles.js";
import { warnAboutOverride } from "../../profiles/warn-overridden.js";
import { resolveEffectiveValue, type PrintedSetting, type Setting } from "./settings.js";

/** The profile that a URL is stored in if there is no active profile. */
const defaultProfileName = "default";

/**
 * Changes a setting of the profile, and warns if something else still overrides it. Creates a profile only to store a URL.
 *
 * @throws `profile:not_found`
 */
export const changeSetting = async (
  key: string,
  setting: Setting,
  flags: GlobalFlags,
  context: Context,
  changeProfile: (profile: Profile | undefined, name: string) => Profile,
): Promise<void> => {
  const choose = setting.profileField === "baseUrl" ? selectProfile : selectExistingProfile;
  const { file, name } = choose(flags, context);
  const profileName = name?.value ?? defaultProfileName;
  await updateProfiles(file, (storedProfiles) => {
    const changedProfile = changeProfile(findProfile(storedProfiles, profileName), profileName);
    const activeName = findProfile(storedProfiles, storedProfiles.active)
      ? storedProfiles.active
      : profileName;
    return {
      ...storedProfiles,
      ...(activeName !== undefined && { active: activeName }),
      profiles: { ...storedProfiles.profiles, [profileName]: changedProfile },
    };
  });
  const { output } = context;
  output.info(`Profile ${profileName} was changed.`);
  const selectedProfile = selectProfile(flags, context);
  const { baseUrl: _, output: __, pager: ___, ...otherFlags } = flags;
  const effectiveValue = resolveEffectiveValue(setting, { flags: otherFlags, context, selectedProfile });
  if (
    effectiveValue.from !== null &&
    effectiveValue.from !== `profile ${profileName}` &&
    effectiveValue.from !== "default"
  ) {
    await warnAboutOverride(
      { value: effectiveValue.value ?? "", from: effectiveValue.from },
      `profile ${profileName}`,
      context,
    );
  }
  const result: PrintedSetting = { key, ...effectiveValue };
  await output.writeResult(result);
};
