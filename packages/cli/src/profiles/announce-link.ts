import type { Context } from "../input/context.js";
import type { ProfileChoice } from "./active-profile.js";
import type { LinkWithFile } from "./link-file.js";

/** Says on standard error what a command uses because of a link. Does nothing if the value is not from the link. */
export const announceLink = (
  settingLabel: string,
  from: string,
  link: LinkWithFile | undefined,
  { output }: Pick<Context, "output">,
): void => {
  if (from === link?.file)
    output.noticeOnce({ code: "link:used", message: `Using ${settingLabel} from ${from}`, from });
};

/** Does the same for the profile that a command uses, with the host that it selects. */
export const announceLinkedProfile = (
  { name, profile, link }: ProfileChoice,
  context: Pick<Context, "output">,
): void => {
  if (!name || !profile) return;
  const { baseUrl } = profile;
  const hostSuffix = URL.canParse(baseUrl) ? ` (${new URL(baseUrl).host})` : "";
  announceLink(`profile ${name.value}${hostSuffix}`, name.from, link, context);
};
