import type { Context, GlobalFlags } from "../input/context.js";
import { selectProfile, type SelectedProfile, type ValueWithSource } from "./active-profile.js";
import { announceLink, announceOverride, findReadableLink } from "./announce-link.js";
import { type DefaultName, defaultVariables } from "./profile.js";

/**
 * Returns the default project of the flag. Else returns the default from the environment, else from the link, else from the profile. With
 * `--profile` the environment is ignored. The ids in a link belong to the profile that it names and are ignored for any other.
 */
export const findDefault = (
  name: DefaultName,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd">,
  select: () => SelectedProfile = () => selectProfile(flags, context),
): ValueWithSource<string> | undefined => {
  if (name === "projectId" && flags.projectId !== undefined)
    return { value: flags.projectId, from: "--project-id" };
  const variable = defaultVariables[name];
  const variableValue = flags.profile === undefined ? context.env[variable]?.trim() : undefined;
  if (variableValue) return { value: variableValue, from: variable };
  const { name: profileName, profile, link } = select();
  const linkedValue = link?.link[name];
  const doesLinkApply =
    link?.link.profile === undefined ? flags.profile === undefined : link.link.profile === profileName?.value;
  if (link && linkedValue !== undefined && doesLinkApply) return { value: linkedValue, from: link.file };
  const profileValue = profile?.[name];
  return profileValue === undefined || !profileName
    ? undefined
    : { value: profileValue, from: `profile ${profileName.value}` };
};

const nounByDefault: Readonly<Record<DefaultName, string>> = {
  workspaceId: "workspace",
  projectId: "project",
};

/** Returns a default like `findDefault`, and reports on standard error if it comes from a link. */
export const resolveAndAnnounceDefault = (
  name: DefaultName,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
  select: () => SelectedProfile = () => selectProfile(flags, context),
): ValueWithSource<string> | undefined => {
  let selectedProfile: SelectedProfile | undefined;
  const setting = findDefault(name, flags, context, () => (selectedProfile ??= select()));
  if (!setting) return undefined;
  const { value, from } = setting;
  const label = nounByDefault[name];
  const projectId = name === "projectId" ? value : undefined;
  announceLink({ label, value, from, projectId }, selectedProfile?.link, context);
  if (from === defaultVariables[name] && context.output.isForPerson) {
    const link = findReadableLink(context.cwd);
    announceOverride(label, setting, link, link?.link[name], context);
  }
  return setting;
};
