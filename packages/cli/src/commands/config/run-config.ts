import type { Context, GlobalFlags } from "../../input/context.js";
import {
  credentialOfOtherService,
  neededSetting,
  noProfileToConfigure,
  settingNotSet,
} from "../../errors/config-errors.js";
import { gap } from "../../output/draw-rows.js";
import { printable } from "../../output/printable.js";
import { widthOf } from "../../output/width.js";
import { activeProfile, chooseProfile } from "../../profiles/active-profile.js";
import { hasCredential, isSameAddress, type Profile, profileNamed } from "../../profiles/profile.js";
import { updateProfiles } from "../../profiles/update-profiles.js";
import { warnOverridden } from "../../profiles/warn-overridden.js";
import { effectiveValue, type PrintedSetting, type Setting, settingOf, settings } from "./settings.js";

/** Prints all settings, and where each comes from. */
export const runConfigList = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const choice = activeProfile(flags, context);
  const { name } = choice;
  const rows = Object.entries(settings).map(([key, setting]): PrintedSetting => ({
    key,
    ...effectiveValue(setting, { flags, context, choice }),
  }));
  const profile: PrintedSetting = { key: "profile", value: name?.value ?? null, from: name?.from ?? null };
  const printedSettings = [profile, ...rows];
  const { output } = context;
  if (!isTooNarrow(printedSettings, output)) return output.result(printedSettings);
  await output.result(Object.fromEntries(printedSettings.map(({ key, value }) => [key, value])));
  output.info("Not shown, because the terminal is too narrow: from.");
};

/** Whether a table would cut a value. Half of an address or id is of no use. */
const isTooNarrow = (
  settings: readonly PrintedSetting[],
  { format, presentation, tableWidth = Infinity }: Context["output"],
): boolean => {
  if (format !== "table" || presentation.fields || presentation.query) return false;
  const widthOfAll = (texts: readonly string[]): number => Math.max(...texts.map(widthOf));
  const keys = widthOfAll(settings.map(({ key }) => key));
  const values = widthOfAll(settings.map(({ value }) => printable(value ?? "")));
  return keys + gap.length + values > tableWidth;
};

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

/** Stores a setting in the profile. Creates a profile for an address if there is none. */
export const runConfigSet = async (
  key: string,
  text: string,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const setting = settingOf(key);
  const value = await setting.parse(text, context);
  await change(key, setting, flags, context, (profile, name) => {
    if (setting.field !== "baseUrl" || typeof value !== "string") {
      if (!profile) throw noProfileToConfigure(key);
      return { ...profile, [setting.field]: value };
    }
    if (!profile) return { baseUrl: value };
    if (hasCredential(profile) && !isSameAddress(profile.baseUrl, value)) {
      throw credentialOfOtherService(name, profile.baseUrl);
    }
    return { ...profile, baseUrl: value };
  });
};

/** Removes a setting from the profile. */
export const runConfigUnset = async (key: string, flags: GlobalFlags, context: Context): Promise<void> => {
  const setting = settingOf(key);
  const { field } = setting;
  if (field === "baseUrl") throw neededSetting(key);
  await change(key, setting, flags, context, (profile) => {
    if (!profile) throw noProfileToConfigure(key);
    const { [field]: _, ...rest } = profile;
    return rest;
  });
};

/** The profile that an address is stored in if there is none. */
const defaultName = "default";

/** Changes the profile, and says if something else still overrides it. */
const change = async (
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
