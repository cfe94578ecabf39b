import type { Context } from "../input/context.js";
import { stripUrlCredentials } from "../text/strip-url-credentials.js";
import { selectProfile, type SelectedProfile, type ValueWithSource } from "./active-profile.js";
import { findDefault } from "./defaults.js";
import { findLink, type Link, getLinkFilePath } from "./link-file.js";
import { hasCredential, isValidProfileName, isSameUrl, findProfile } from "./profile.js";

/** The parts of the context that the functions of this file need. */
type WarningContext = Pick<Context, "env" | "cwd" | "output">;

/** Warns that commands in this folder do not use the value that was just stored. */
export const warnAboutOverride = async (
  { value, from }: ValueWithSource<string>,
  overriddenSetting: string,
  { env, cwd, output }: WarningContext,
): Promise<void> => {
  const hint =
    from === findLink(cwd)?.file
      ? "mgmt unlink removes the link."
      : env[from] === undefined
        ? undefined
        : `Unset ${from} to use ${overriddenSetting}.`;
  await output.warn({
    code: "config:overridden",
    message: `Commands here still use ${value} from ${from}, which overrides ${overriddenSetting}`,
    ...(hint !== undefined && { hint }),
    from,
  });
};

/**
 * Warns if commands in this folder do not use a profile that was just stored, linked or made the active one, or not its URL or
 * credential. The flags of this run do not count: later ones have others.
 */
export const warnIfProfileIsOverridden = async (name: string, context: WarningContext): Promise<void> => {
  const selectedProfile = selectNextProfile(context);
  if (!selectedProfile) return;
  const { env } = context;
  // The user knows that another profile is the active one: a flag has named this one.
  if (
    selectedProfile.name &&
    selectedProfile.name.value !== name &&
    selectedProfile.name.from !== selectedProfile.file
  ) {
    const effectiveValue = {
      value: `profile ${selectedProfile.name.value}`,
      from: selectedProfile.name.from,
    };
    await warnAboutOverride(effectiveValue, `profile ${name}`, context);
  }
  const profile = findProfile(selectedProfile.storedProfiles, name);
  const baseUrl = env["MGMT_BASE_URL"]?.trim();
  if (profile && baseUrl && !isSameUrl(baseUrl, profile.baseUrl)) {
    const effectiveValue = { value: stripUrlCredentials(baseUrl), from: "MGMT_BASE_URL" };
    await warnAboutOverride(effectiveValue, `the URL of profile ${name}`, context);
  }
  if (profile && hasCredential(profile) && env["MGMT_TOKEN"]?.trim()) {
    const effectiveValue = { value: "the token", from: "MGMT_TOKEN" };
    await warnAboutOverride(effectiveValue, `the credential of profile ${name}`, context);
  }
};

/** Warns if commands in this folder do not use the default project that was just stored in a profile. */
export const warnIfProjectIsOverridden = async (
  name: string,
  projectId: string,
  context: WarningContext,
): Promise<void> => {
  const selectedProfile = selectNextProfile(context);
  if (!selectedProfile || selectedProfile.name?.value !== name) return;
  const effectiveDefault = findDefault("projectId", {}, context, () => selectedProfile);
  if (effectiveDefault && effectiveDefault.value !== projectId)
    await warnAboutOverride(effectiveDefault, `the project of profile ${name}`, context);
};

/** Warns if commands in this folder do not use a value of the link that was just stored. */
export const warnIfLinkIsOverridden = async (link: Link, context: WarningContext): Promise<void> => {
  if (link.profile !== undefined) await warnIfProfileIsOverridden(link.profile, context);
  const selectedProfile = selectNextProfile(context);
  // The ids of a link mean nothing in another profile.
  if (!selectedProfile || (link.profile !== undefined && selectedProfile.name?.value !== link.profile))
    return;
  for (const defaultName of ["workspaceId", "projectId"] as const) {
    const effectiveDefault = findDefault(defaultName, {}, context, () => selectedProfile);
    const linkedId = link[defaultName];
    if (effectiveDefault && linkedId !== undefined && effectiveDefault.value !== linkedId)
      await warnAboutOverride(effectiveDefault, `${linkedId} in ${getLinkFilePath(context.cwd)}`, context);
  }
};

/** Returns the profile that the next command chooses; undefined if it rejects the name in MGMT_PROFILE, which it reports itself. */
const selectNextProfile = (context: WarningContext): SelectedProfile | undefined => {
  const namedProfile = context.env["MGMT_PROFILE"]?.trim();
  return namedProfile && !isValidProfileName(namedProfile) ? undefined : selectProfile({}, context);
};
