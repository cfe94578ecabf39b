import type { Context, GlobalFlags } from "../input/context.js";
import { selectProfile } from "./active-profile.js";

/**
 * Returns what protects the resources that commands use here: the file of the link, or the profile. Returns undefined if nothing does.
 *
 * A link that names another profile does not protect the resources of this one.
 */
export const findProtection = (
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd">,
): string | undefined => {
  const { name, profile, link } = selectProfile(flags, context);
  const linkedProfile = link?.link.profile;
  if (link?.link.protect && (linkedProfile === undefined || linkedProfile === name?.value)) return link.file;
  return profile?.protect && name ? `profile ${name.value}` : undefined;
};

/** Whether the flags confirm every change, so that the user need not be asked. */
export const isConfirmedByFlag = (flags: GlobalFlags, context: Pick<Context, "env" | "cwd">): boolean =>
  flags.yes === true && flags.confirm === undefined && findProtection(flags, context) === undefined;
