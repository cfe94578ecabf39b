import { noBaseUrl, profileOfOtherService } from "../errors.js";
import { chooseProfile } from "../profiles/active-profile.js";
import { isSameAddress } from "../profiles/place.js";
import { type Profile, withoutCredential } from "../profiles/profile.js";
import type { Context, GlobalFlags } from "../run/context.js";

/** The profile that a login goes to when none is named or active. */
const defaultName = "default";

export interface LoginTarget {
  file: string;
  name: string;
  /** What the profile is to be, without a credential. */
  profile: Profile & { readonly authUrl: string };
}

/**
 * Which profile to log in to, and where that is: flag, then environment, then what the profile says already. A profile that
 * keeps its credential in the keyring goes on to, unless the file is asked for.
 */
export const loginTarget = (
  flags: GlobalFlags & { readonly authUrl?: string; readonly store?: "file" | "keyring" },
  { env }: Pick<Context, "env">,
): LoginTarget => {
  const { file, name, profile } = chooseProfile(flags, env);
  // A profile that is named on the command line goes before the environment, as for every other command.
  const inEnv = (variable: string): string | undefined =>
    (flags.profile !== undefined && profile ? undefined : env[variable]?.trim()) || undefined;
  const baseUrl = flags.baseUrl ?? inEnv("MGMT_BASE_URL") ?? profile?.baseUrl;
  if (!baseUrl) throw noBaseUrl();
  const moves = profile !== undefined && !isSameAddress(profile.baseUrl, baseUrl);
  // Nobody named it: what is in it stays.
  if (moves && flags.profile === undefined) throw profileOfOtherService(name?.value ?? "", profile.baseUrl);
  const { store: before, ...kept }: Profile = moves || !profile ? { baseUrl } : withoutCredential(profile);
  const authUrl = flags.authUrl ?? inEnv("MGMT_AUTH_URL") ?? kept.authUrl ?? baseUrl;
  const store = flags.store ?? before ?? profile?.store;
  return {
    file,
    name: name?.value ?? defaultName,
    profile: { ...kept, baseUrl, authUrl, ...(store === "keyring" && { store }) },
  };
};
