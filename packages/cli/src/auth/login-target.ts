import { noBaseUrl, profileOfOtherService, usageError } from "../errors.js";
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
  const given = (flag: string, value: string | undefined, variable: string): string | undefined => {
    const inEnv = flags.profile !== undefined && profile ? undefined : env[variable]?.trim();
    return value === undefined ? inEnv && checked(variable, inEnv) : checked(flag, value);
  };
  const baseUrl = given("--base-url", flags.baseUrl, "MGMT_BASE_URL") || profile?.baseUrl;
  if (!baseUrl) throw noBaseUrl();
  const moves = profile !== undefined && !isSameAddress(profile.baseUrl, baseUrl);
  // Nobody named it: what is in it stays.
  if (moves && flags.profile === undefined) throw profileOfOtherService(name?.value ?? "", profile.baseUrl);
  const { store: before, ...kept }: Profile = moves || !profile ? { baseUrl } : withoutCredential(profile);
  const authUrl = given("--auth-url", flags.authUrl, "MGMT_AUTH_URL") || kept.authUrl || baseUrl;
  const store = flags.store ?? before ?? profile?.store;
  return {
    file,
    name: name?.value ?? defaultName,
    profile: { ...kept, baseUrl, authUrl, ...(store === "keyring" && { store }) },
  };
};

/** The SDK looks closer at it; here the flag is known that it came from. The message does not repeat it. */
const checked = (from: string, address: string): string => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const problem =
    url === undefined || !["http:", "https:"].includes(url.protocol)
      ? "is no address"
      : url.username || url.password
        ? "must not carry a credential"
        : url.search || url.hash
          ? "must have no query or fragment"
          : undefined;
  if (problem === undefined) return address;
  throw usageError(`${from} ${problem}`, "It looks like https://api.example.com or http://127.0.0.1:4300.");
};
