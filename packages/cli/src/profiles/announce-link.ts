import type { Context } from "../input/context.js";
import type { ImplicitSetting } from "../output/implicit-settings.js";
import type { SelectedProfile } from "./active-profile.js";
import { findLink, type LinkWithFile } from "./link-file.js";

/** Reports on standard error what a command uses because of a link. Does nothing if the value is not from the link. */
export const announceLink = (
  setting: ImplicitSetting,
  link: LinkWithFile | undefined,
  { output }: Pick<Context, "output">,
): void => {
  if (setting.from === link?.file) output.implicitSettings.add(setting);
};

/** Reports the profile that a command uses because of a link, with the host of its URL. */
export const announceLinkedProfile = (
  { name, profile, link }: SelectedProfile,
  context: Pick<Context, "output">,
): void => {
  if (!name || !profile) return;
  const { baseUrl } = profile;
  const hostSuffix = URL.canParse(baseUrl) ? ` (${new URL(baseUrl).host})` : "";
  announceLink({ label: "profile", value: `${name.value}${hostSuffix}`, from: name.from }, link, context);
  announceOverride("profile", name, link, link?.link.profile, context);
};

/** Returns the link of the folder, or undefined if it cannot be read, so that a command that does not need it does not fail. */
export const findReadableLink = (folder: string): LinkWithFile | undefined => {
  try {
    return findLink(folder);
  } catch {
    return undefined;
  }
};

/** Reports on a terminal that a variable overrides the link of the folder. Commands that only read do not show it otherwise. */
export const announceOverride = (
  label: string,
  { value, from }: { readonly value: string; readonly from: string },
  link: LinkWithFile | undefined,
  linkedValue: string | undefined,
  { output }: Pick<Context, "output">,
): void => {
  const isOverridden = link && linkedValue !== undefined && linkedValue !== value && from.startsWith("MGMT_");
  if (!isOverridden || !output.isForPerson) return;
  output.noticeOnce({
    code: "link:overridden",
    message: `Using ${label} ${value} from ${from}, which overrides ${linkedValue} in ${link.file}`,
    from,
  });
};
