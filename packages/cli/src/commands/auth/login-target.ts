import type { CommandVariable } from "@mgmt/internal/environment/variables";
import type { Context, GlobalFlags } from "../../input/context.js";
import { missingLoginUrlError, profileTakenError } from "../../errors/access-errors.js";
import { announceLinkedProfile } from "../../profiles/announce-link.js";
import { selectProfile, type SelectedProfile, type ValueWithSource } from "../../profiles/active-profile.js";
import {
  isSameUrl,
  type Profile,
  findProfile,
  findRunningProfile,
  omitCredential,
} from "../../profiles/profile.js";
import { assertServiceUrl } from "../../profiles/resolve-access.js";
import { readServiceVariable } from "../../profiles/service-variables.js";

/** The profile to log in to when none is named or active. */
const defaultProfileName = "default";

/** The profile to log in to. */
export interface LoginTarget {
  file: string;
  name: string;
  baseUrl: ValueWithSource<string>;
  authUrl: ValueWithSource<string>;
  /** The profile as it will be stored, without a credential. */
  profile: Profile;
}

/**
 * Resolves the profile to log in to, and its URLs: from flags, else from the environment, else from the profile. A
 * profile that stores its credential in the keyring continues to do so unless `--store file` is passed. Throws for an
 * invalid URL of the service.
 */
export const resolveLoginTarget = async (
  flags: GlobalFlags & { readonly authUrl?: string; readonly store?: "file" | "keyring" },
  context: Pick<Context, "env" | "cwd" | "version" | "output" | "insecureUrls" | "changeTracker">,
): Promise<LoginTarget> => {
  const { env } = context;
  const { file, name, profile } = chooseLoginProfile(flags, context);
  const profileSource = `profile ${name?.value ?? defaultProfileName}`;
  // `--profile` takes precedence over the environment, like in every other command.
  const ignoresEnv = flags.profile !== undefined && profile !== undefined;
  const findOverride = (
    flag: string,
    value: string | undefined,
    variable: CommandVariable,
  ): ValueWithSource<string> | undefined => {
    if (value !== undefined) return { value, from: flag };
    if (ignoresEnv) return undefined;
    const envValue =
      variable === "MGMT_BASE_URL" ? readServiceVariable(variable, env) : env[variable]?.trim();
    return envValue ? { value: envValue, from: variable } : undefined;
  };
  const toProfileSetting = (value: string | undefined): ValueWithSource<string> | undefined =>
    value === undefined ? undefined : { value, from: profileSource };

  const baseUrl =
    findOverride("--base-url", flags.baseUrl, "MGMT_BASE_URL") ?? toProfileSetting(profile?.baseUrl);
  if (!baseUrl) throw missingLoginUrlError();
  await assertServiceUrl(baseUrl);
  const changesService = profile !== undefined && !isSameUrl(profile.baseUrl, baseUrl.value);
  // A profile that the user did not name is not pointed at another service.
  if (changesService && flags.profile === undefined) {
    throw profileTakenError(name?.value ?? "", profile.baseUrl);
  }
  const { store: profileStore, ...profileSettings }: Profile =
    changesService || !profile ? { baseUrl: baseUrl.value } : omitCredential(profile);
  const authUrl =
    findOverride("--auth-url", flags.authUrl, "MGMT_AUTH_URL") ??
    toProfileSetting(profileSettings.authUrl) ??
    baseUrl;
  const store = flags.store ?? profileStore ?? profile?.store;
  return {
    file,
    name: name?.value ?? defaultProfileName,
    baseUrl,
    authUrl,
    profile: {
      ...profileSettings,
      baseUrl: baseUrl.value,
      authUrl: authUrl.value,
      ...(store === "keyring" && { store }),
    },
  };
};

/**
 * Chooses as for every other command. Without a URL, a profile that does not exist gets the URLs of a running `mgmt dev`;
 * without a name, that service's own profile is chosen.
 */
const chooseLoginProfile = (
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): Pick<SelectedProfile, "file" | "name" | "profile"> => {
  const selectedProfile = selectProfile(flags, context);
  announceLinkedProfile(selectedProfile, context);
  const { file, name, storedProfiles } = selectedProfile;
  const hasExplicitUrl =
    flags.baseUrl !== undefined || readServiceVariable("MGMT_BASE_URL", context.env) !== undefined;
  const runningProfileName =
    selectedProfile.profile || hasExplicitUrl ? undefined : findRunningProfile(storedProfiles);
  const profile = findProfile(storedProfiles, runningProfileName);
  if (runningProfileName === undefined || !profile) return selectedProfile;
  if (!name) return { file, name: { value: runningProfileName, from: "mgmt dev" }, profile };
  const { process: _, ephemeral: __, ...profileUrls } = omitCredential(profile);
  return { file, name, profile: profileUrls };
};
