import type { Context, GlobalFlags } from "../input/context.js";
import { unknownProfileError } from "../errors/access-errors.js";
import { invalidProfileNameError } from "../errors/usage-errors.js";
import { findLink, type LinkWithFile } from "./link-file.js";
import { findFolderStack, type FolderStack, getStackDataFolder } from "./folder-stack.js";
import {
  isDevProfile,
  isValidProfileName,
  type Profile,
  findProfile,
  type StoredProfiles,
} from "./profile.js";
import { getProfilesPath, readProfiles } from "./read-profiles.js";

/** A value and where it came from, in the user's words: a flag, a variable, a file, a profile. */
export interface ValueWithSource<T> {
  value: T;
  from: string;
}

/** The profile that a command line selects. */
export interface SelectedProfile {
  file: string;
  storedProfiles: StoredProfiles;
  /** Undefined when no profile was named and no profile is active. */
  name: ValueWithSource<string> | undefined;
  /** It is undefined when there is no profile of that name. */
  profile: Profile | undefined;
  /** The link that applies to the working directory. */
  link: LinkWithFile | undefined;
}

/**
 * Returns the profile that the flag names, or else the environment, or else the profile of the folder's `mgmt dev --here`, or else the
 * profile that the link names, or else the active profile. Throws for a name that no profile can have.
 */
export const selectProfile = (
  flags: GlobalFlags,
  { env, cwd }: Pick<Context, "env" | "cwd">,
): SelectedProfile => {
  const path = getProfilesPath(env);
  const link = findLink(cwd);
  const explicitName = findProfileName(flags, env);
  if (explicitName && !isValidProfileName(explicitName.value))
    throw invalidProfileNameError(explicitName.from, explicitName.value);
  const storedProfiles = readProfiles(path);
  const stack = explicitName ? undefined : findUsableStack(storedProfiles, cwd);
  const stackName = stack && { value: stack.profileName, from: getStackDataFolder(stack.folder) };
  const selectedName = explicitName ?? stackName ?? findLinkedProfileName(link);
  const { active } = storedProfiles;
  const activeName = findProfile(storedProfiles, active) && active;
  const name = selectedName ?? (activeName === undefined ? undefined : { value: activeName, from: path });
  const storedProfile = findProfile(storedProfiles, name?.value);
  // Its data may have been moved to another folder.
  const profile = storedProfile && stack ? { ...storedProfile, folder: stack.folder } : storedProfile;
  return { file: path, storedProfiles, name, profile, link };
};

/** A `mgmt dev --here` that was never ready does not count. One that has stopped does: commands must not go to another service instead. */
const findUsableStack = (storedProfiles: StoredProfiles, cwd: string): FolderStack | undefined => {
  const stack = findFolderStack(storedProfiles, cwd);
  const profile = findProfile(storedProfiles, stack?.profileName);
  return profile && isDevProfile(profile) ? stack : undefined;
};

/** Returns whether the working directory chose the profile, by its link or its `mgmt dev --here`, and no flag, variable, or setting. */
export const isChosenByFolder = ({ name, profile, link }: SelectedProfile): boolean =>
  name !== undefined &&
  (name.from === link?.file ||
    (profile?.folder !== undefined && name.from === getStackDataFolder(profile.folder)));

const findLinkedProfileName = (link: LinkWithFile | undefined): ValueWithSource<string> | undefined =>
  link?.link.profile === undefined ? undefined : { value: link.link.profile, from: link.file };

const findProfileName = (flags: GlobalFlags, env: NodeJS.ProcessEnv): ValueWithSource<string> | undefined => {
  if (flags.profile !== undefined) return { value: flags.profile, from: "--profile" };
  const name = env["MGMT_PROFILE"]?.trim();
  return name ? { value: name, from: "MGMT_PROFILE" } : undefined;
};

/** Selects a profile like `selectProfile`. Throws `profile:not_found` if the named profile does not exist. */
export const selectExistingProfile = (
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd">,
): SelectedProfile => {
  const selectedProfile = selectProfile(flags, context);
  if (selectedProfile.name && !selectedProfile.profile) {
    throw unknownProfileError(
      selectedProfile.name.from,
      selectedProfile.name.value,
      Object.keys(selectedProfile.storedProfiles.profiles),
    );
  }
  return selectedProfile;
};
