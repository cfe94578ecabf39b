import type { Context, GlobalFlags } from "../input/context.js";
import { unknownProfile } from "../errors/access-errors.js";
import { badProfileName } from "../errors/usage-errors.js";
import { findLink, type FoundLink } from "./link-file.js";
import { isProfileName, type Profile, profileNamed, type Profiles } from "./profile.js";
import { profilesFile, readProfiles } from "./read-profiles.js";

/** A value and where it came from, in the user's words: a flag, a variable, a file, a profile. */
export interface Sourced<T> {
  value: T;
  from: string;
}

/** The profile that a command line selects. */
export interface ProfileChoice {
  file: string;
  profiles: Profiles;
  /** Undefined when none was named and none is active. */
  name: Sourced<string> | undefined;
  /** Undefined when there is no profile of that name. */
  profile: Profile | undefined;
  /** The link that applies to the working directory. */
  link: FoundLink | undefined;
}

/**
 * Returns the profile named by the flag, else by the environment, else by the link, else the active one. Throws for a name
 * that no profile can have.
 */
export const chooseProfile = (
  flags: GlobalFlags,
  { env, cwd }: Pick<Context, "env" | "cwd">,
): ProfileChoice => {
  const file = profilesFile(env);
  const link = findLink(cwd);
  const named = namedProfile(flags, env) ?? linkedProfile(link);
  if (named && !isProfileName(named.value)) throw badProfileName(named.from, named.value);
  const profiles = readProfiles(file);
  const { active } = profiles;
  const activeName = profileNamed(profiles, active) && active;
  const name = named ?? (activeName === undefined ? undefined : { value: activeName, from: file });
  return { file, profiles, name, profile: profileNamed(profiles, name?.value), link };
};

const linkedProfile = (link: FoundLink | undefined): Sourced<string> | undefined =>
  link?.link.profile === undefined ? undefined : { value: link.link.profile, from: link.file };

const namedProfile = (flags: GlobalFlags, env: NodeJS.ProcessEnv): Sourced<string> | undefined => {
  if (flags.profile !== undefined) return { value: flags.profile, from: "--profile" };
  const name = env["MGMT_PROFILE"]?.trim();
  return name ? { value: name, from: "MGMT_PROFILE" } : undefined;
};

/** Does the same, and throws `profile:not_found` if the named profile does not exist. */
export const activeProfile = (flags: GlobalFlags, context: Pick<Context, "env" | "cwd">): ProfileChoice => {
  const choice = chooseProfile(flags, context);
  if (choice.name && !choice.profile) {
    throw unknownProfile(choice.name.from, choice.name.value, Object.keys(choice.profiles.profiles));
  }
  return choice;
};
