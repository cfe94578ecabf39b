import type { Context, GlobalFlags } from "../../input/context.js";
import { columnGap } from "../../output/table-rows.js";
import { toPrintable } from "../../output/printable.js";
import { measureWidth } from "../../output/width.js";
import { selectExistingProfile } from "../../profiles/active-profile.js";
import { resolveEffectiveValue, type PrintedSetting, settings } from "./settings.js";

/** Prints all settings, and where each comes from. */
export const runConfigList = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const selectedProfile = selectExistingProfile(flags, context);
  const { name } = selectedProfile;
  const rows = Object.entries(settings).map(([key, setting]): PrintedSetting => ({
    key,
    ...resolveEffectiveValue(setting, { flags, context, selectedProfile }),
  }));
  const profile: PrintedSetting = { key: "profile", value: name?.value ?? null, from: name?.from ?? null };
  const printedSettings = [profile, ...rows];
  const { output } = context;
  if (!isTooNarrow(printedSettings, output)) return output.writeResult(printedSettings);
  await output.writeResult(Object.fromEntries(printedSettings.map(({ key, value }) => [key, value])));
  output.info("Not shown, because the terminal is too narrow: from.");
};

/** Returns whether a table would cut a value. Half of a URL or id is of no use. */
const isTooNarrow = (
  settings: readonly PrintedSetting[],
  { format, presentation, tableWidth = Infinity }: Context["output"],
): boolean => {
  if (format !== "table" || presentation.fields || presentation.query) return false;
  const computeMaxWidth = (texts: readonly string[]): number => Math.max(...texts.map(measureWidth));
  const keysWidth = computeMaxWidth(settings.map(({ key }) => key));
  const valuesWidth = computeMaxWidth(settings.map(({ value }) => toPrintable(value ?? "")));
  return keysWidth + columnGap.length + valuesWidth > tableWidth;
};
