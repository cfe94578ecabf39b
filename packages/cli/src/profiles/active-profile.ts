import { badProfileName, unknownProfile } from "../errors.js";
import type { GlobalFlags } from "../run/context.js";
import { findLink, type FoundLink } from "./link.js";
import { isProfileName, type Profile, profileNamed, type Profiles } from "./profile.js";
import { profilesFile, readProfiles } from "./read-profiles.js";

/** A value, and what it came from, in the words of the user: a flag, a variable, a profile. */
export interface Found<T> {
  value: T;
  from: string;
}

/** Which profile a command line speaks of. */
export interface ProfileChoice {
  file: string;
  profiles: Profiles;
  /** Undefined when none was named and none is active. */
  name: Found<string> | undefined;
  /** Undefined when there is none of that name. */
  profile: Profile | undefined;
  /** Of the working directory. */
  link: FoundLink | undefined;
}

/** A flag wins over the environment, that over the link, and that over the active profile. Throws for a name that no profile can have. */
export const chooseProfile = (flags: GlobalFlags, env: NodeJS.ProcessEnv): ProfileChoice => {
  const file = profilesFile(env);
  const link = findLink();
  const named = namedProfile(flags, env) ?? linkedProfile(link);
  if (named && !isProfileName(named.value)) throw badProfileName(named.from, named.value);
  const profiles = readProfiles(file);
  const { active } = profiles;
  const kept = profileNamed(profiles, active) && active;
  const name = named ?? (kept === undefined ? undefined : { value: kept, from: file });
  return { file, profiles, name, profile: profileNamed(profiles, name?.value), link };
};

const linkedProfile = (found: FoundLink | undefined): Found<string> | undefined =>
  found?.link.profile === undefined ? undefined : { value: found.link.profile, from: found.file };

const namedProfile = (flags: GlobalFlags, env: NodeJS.ProcessEnv): Found<string> | undefined => {
  if (flags.profile !== undefined) return { value: flags.profile, from: "--profile" };
  const name = env["MGMT_PROFILE"]?.trim();
  return name ? { value: name, from: "MGMT_PROFILE" } : undefined;
};

/** The same where a profile that is named has to be there. */
export const activeProfile = (flags: GlobalFlags, env: NodeJS.ProcessEnv): ProfileChoice => {
  const choice = chooseProfile(flags, env);
  if (choice.name && !choice.profile) {
    throw unknownProfile(choice.name.from, choice.name.value, Object.keys(choice.profiles.profiles));
  }
  return choice;
};
