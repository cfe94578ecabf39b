import type { Context, GlobalFlags } from "../../input/context.js";
import { noLoginAddress, profileOfOtherService } from "../../errors/access-errors.js";
import { announceLinkedProfile } from "../../profiles/announce-link.js";
import { chooseProfile, type ProfileChoice, type Sourced } from "../../profiles/active-profile.js";
import {
  isSameAddress,
  type Profile,
  profileNamed,
  runningProfile,
  withoutCredential,
} from "../../profiles/profile.js";
import { serviceVariable } from "../../profiles/resolve-access.js";
import { clientFor } from "../../service/connect.js";

/** The profile to log in to when none is named or active. */
const defaultName = "default";

/** The profile to log in to. */
export interface LoginTarget {
  file: string;
  name: string;
  baseUrl: Sourced<string>;
  authUrl: Sourced<string>;
  /** The profile as it will be stored, without a credential. */
  profile: Profile;
}

/**
 * Resolves the profile to log in to, and its addresses: from flags, else from the environment, else from the profile. A
 * profile that stores its credential in the keyring continues to do so unless `--store file` is passed. Throws for an
 * invalid address of the service.
 */
export const loginTarget = async (
  flags: GlobalFlags & { readonly authUrl?: string; readonly store?: "file" | "keyring" },
  context: Pick<Context, "env" | "cwd" | "version" | "output" | "insecureAddresses" | "changes">,
): Promise<LoginTarget> => {
  const { env } = context;
  const { file, name, profile } = profileToLogInTo(flags, context);
  const profileFrom = `profile ${name?.value ?? defaultName}`;
  // As for every other command, `--profile` takes precedence over the environment.
  const ignoresEnv = flags.profile !== undefined && profile !== undefined;
  const settingOf = (
    flag: string,
    value: string | undefined,
    variable: string,
  ): Sourced<string> | undefined => {
    if (value !== undefined) return { value, from: flag };
    if (ignoresEnv) return undefined;
    const fromEnv = variable === "MGMT_BASE_URL" ? serviceVariable(variable, env) : env[variable]?.trim();
    return fromEnv ? { value: fromEnv, from: variable } : undefined;
  };
  const inProfile = (value: string | undefined): Sourced<string> | undefined =>
    value === undefined ? undefined : { value, from: profileFrom };

  const baseUrl = settingOf("--base-url", flags.baseUrl, "MGMT_BASE_URL") ?? inProfile(profile?.baseUrl);
  if (!baseUrl) throw noLoginAddress();
  await clientFor(baseUrl, false, context);
  const changesService = profile !== undefined && !isSameAddress(profile.baseUrl, baseUrl.value);
  // A profile that the user did not name is not pointed at another service.
  if (changesService && flags.profile === undefined) {
    throw profileOfOtherService(name?.value ?? "", profile.baseUrl);
  }
  const { store: storedIn, ...rest }: Profile =
    changesService || !profile ? { baseUrl: baseUrl.value } : withoutCredential(profile);
  const authUrl =
    settingOf("--auth-url", flags.authUrl, "MGMT_AUTH_URL") ?? inProfile(rest.authUrl) ?? baseUrl;
  const store = flags.store ?? storedIn ?? profile?.store;
  return {
    file,
    name: name?.value ?? defaultName,
    baseUrl,
    authUrl,
    profile: {
      ...rest,
      baseUrl: baseUrl.value,
      authUrl: authUrl.value,
      ...(store === "keyring" && { store }),
    },
  };
};

/**
 * Chooses as for every other command. Without an address, a profile that does not exist gets those of a running `mgmt dev`;
 * without a name, that service's own profile is chosen.
 */
const profileToLogInTo = (
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): Pick<ProfileChoice, "file" | "name" | "profile"> => {
  const choice = chooseProfile(flags, context);
  announceLinkedProfile(choice, context);
  const { file, name, profiles } = choice;
  const isAddressed =
    flags.baseUrl !== undefined || serviceVariable("MGMT_BASE_URL", context.env) !== undefined;
  const running = choice.profile || isAddressed ? undefined : runningProfile(profiles);
  const profile = profileNamed(profiles, running);
  if (running === undefined || !profile) return choice;
  if (!name) return { file, name: { value: running, from: "mgmt dev" }, profile };
  const { process: _, ephemeral: __, ...addresses } = withoutCredential(profile);
  return { file, name, profile: addresses };
};
