import type { Context, GlobalFlags } from "../input/context.js";
import { chooseProfile, type ProfileChoice, type Sourced } from "./active-profile.js";
import { announceLink } from "./announce-link.js";
import { type DefaultName, defaultVariables } from "./profile.js";

/**
 * Returns the default project of the flag. Else returns the default from the environment, else from the link, else from the profile. With `--profile` the environment is
 * ignored. The ids in a link belong to the profile that it names and are ignored for any other.
 */
export const findDefault = (
  name: DefaultName,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd">,
  choose: () => ProfileChoice = () => chooseProfile(flags, context),
): Sourced<string> | undefined => {
  if (name === "projectId" && flags.projectId !== undefined)
    return { value: flags.projectId, from: "--project-id" };
  const variable = defaultVariables[name];
  const fromEnv = flags.profile === undefined ? context.env[variable]?.trim() : undefined;
  if (fromEnv) return { value: fromEnv, from: variable };
  const { name: chosen, profile, link } = choose();
  const linked = link?.link[name];
  const linkApplies =
    link?.link.profile === undefined ? flags.profile === undefined : link.link.profile === chosen?.value;
  if (link && linked !== undefined && linkApplies) return { value: linked, from: link.file };
  const fromProfile = profile?.[name];
  return fromProfile === undefined || !chosen
    ? undefined
    : { value: fromProfile, from: `profile ${chosen.value}` };
};

const nouns: Readonly<Record<DefaultName, string>> = { workspaceId: "workspace", projectId: "project" };

/** Returns the same for a command that uses the default, and says on standard error if it is the one of a link. */
export const takeDefault = (
  name: DefaultName,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
  choose: () => ProfileChoice = () => chooseProfile(flags, context),
): Sourced<string> | undefined => {
  let choice: ProfileChoice | undefined;
  const setting = findDefault(name, flags, context, () => (choice ??= choose()));
  if (setting) announceLink(`${nouns[name]} ${setting.value}`, setting.from, choice?.link, context);
  return setting;
};
