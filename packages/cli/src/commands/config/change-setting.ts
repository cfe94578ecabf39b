import type { Context, GlobalFlags } from "../../input/context.js";
import { chooseProfile } from "../../profiles/active-profile.js";
import { type Profile, profileNamed } from "../../profiles/profile.js";
import { updateProfiles } from "../../profiles/update-profiles.js";
import { warnOverridden } from "../../profiles/warn-overridden.js";
import { effectiveValue, type PrintedSetting, type Setting } from "./settings.js";

/** The profile that an address is stored in if there is none. */
const defaultName = "default";

/** Changes the profile, and says if something else still overrides it. */
export const changeSetting = async (
  key: string,
  setting: Setting,
  flags: GlobalFlags,
  context: Context,
  apply: (profile: Profile | undefined, name: string) => Profile,
): Promise<void> => {
  const { file, name } = chooseProfile(flags, context);
  const target = name?.value ?? defaultName;
  await updateProfiles(file, (all) => {
    const next = apply(profileNamed(all, target), target);
    const active = profileNamed(all, all.active) ? all.active : target;
    return { ...all, ...(active !== undefined && { active }), profiles: { ...all.profiles, [target]: next } };
  });
  const { output } = context;
  output.info(`Profile ${target} was changed.`);
  const choice = chooseProfile(flags, context);
  const { baseUrl: _, output: __, pager: ___, ...others } = flags;
  const effective = effectiveValue(setting, { flags: others, context, choice });
  if (effective.from !== null && effective.from !== `profile ${target}` && effective.from !== "default") {
    await warnOverridden(
      { value: effective.value ?? "", from: effective.from },
      `profile ${target}`,
      context,
    );
  }
  const result: PrintedSetting = { key, ...effective };
  await output.result(result);
};
