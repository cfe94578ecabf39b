import { isDeepStrictEqual } from "node:util";
import { createPsProcesses } from "@mgmt/internal/processes/ps-processes";
import type { Platform } from "@mgmt/platform";
import type { Context } from "../../input/context.js";
import {
  hasCredential,
  isDevProfile,
  isDevRunning,
  isSameAddress,
  localProfileName,
  type Profile,
  findProfile,
  type Profiles,
  removeProfiles,
} from "../../profiles/profile.js";
import { profilesFile } from "../../profiles/read-profiles.js";
import { updateProfiles } from "../../profiles/update-profiles.js";

/** The profile with which other commands reach a service that `mgmt dev` runs. */
export interface ServiceRegistration {
  readonly name: string;
  /** Whether commands use the profile without `--profile`. */
  readonly isActive: boolean;
  /** The profile `local`, if another service that runs has it. */
  readonly otherLocalProfile?: Profile;
}

/**
 * Stores the service and its token in a profile: `local`, or one of its own for an ephemeral service, and for one beside a
 * service that has `local`. A login to the same service is not changed. The profile becomes the active one if there is none, or if the active one is of a `mgmt dev` that has
 * ended. If the profiles file cannot be written, warns and returns undefined.
 */
export const registerService = async (
  { ready }: Pick<Platform, "ready">,
  ephemeral: boolean,
  { env, output }: Pick<Context, "env" | "output">,
): Promise<ServiceRegistration | undefined> => {
  const { baseUrl, authUrl, controlUrl, controlSecretFile, signInKeyFile, token, workspaceId } = ready;
  let name = ephemeral ? formatProfileName("ephemeral", baseUrl) : localProfileName;
  let otherLocalProfile: Profile | undefined;
  const serviceFields = {
    baseUrl,
    authUrl,
    controlUrl,
    controlSecretFile,
    ...(signInKeyFile !== null && { signInKeyFile }),
    process: createPsProcesses().self,
  };
  const addService = (all: Profiles): Profiles => {
    const storedLocalProfile = findProfile(all, localProfileName);
    if (!ephemeral && storedLocalProfile && isDevRunning(storedLocalProfile)) {
      otherLocalProfile = storedLocalProfile;
      name = formatProfileName(localProfileName, baseUrl);
    }
    const isRemovedAtEnd = name !== localProfileName;
    const previousProfile = isRemovedAtEnd ? undefined : storedLocalProfile;
    const reusedProfile =
      previousProfile && isServiceOf(previousProfile, ready) ? removeSignInKey(previousProfile) : undefined;
    const newProfile: Profile = {
      workspaceId,
      ...(previousProfile?.store && { store: previousProfile.store }),
      ...reusedProfile,
      ...serviceFields,
      ...(isRemovedAtEnd && { ephemeral: true }),
      ...((!reusedProfile || !hasCredential(reusedProfile) || reusedProfile.token !== undefined) && {
        token,
      }),
    };
    const previousActiveProfile = findProfile(all, all.active);
    const isActiveUsable =
      previousActiveProfile !== undefined &&
      (!isDevProfile(previousActiveProfile) || isDevRunning(previousActiveProfile));
    const activeName = isActiveUsable ? all.active : name;
    return {
      ...all,
      ...(activeName !== undefined && { active: activeName }),
      profiles: { ...all.profiles, [name]: newProfile },
    };
  };
  try {
    const { active } = await updateProfiles(profilesFile(env), addService);
    return { name, isActive: active === name, ...(otherLocalProfile && { otherLocalProfile }) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : "unknown reason";
    await output.warn({
      code: "profile:not_registered",
      message: `Profile ${name} was not registered: ${problem}`,
    });
    return undefined;
  }
};

/** A service that was started without a key has none, even if an earlier run had one. */
const removeSignInKey = ({ signInKeyFile: _, ...profile }: Profile): Profile => profile;

/** Two services on this machine cannot have the same port. */
const formatProfileName = (kind: string, baseUrl: string): string =>
  `${kind}-${new URL(baseUrl).port || "80"}`;

/** Whether the profile's credential is for this service: it has the same address and the same data directory. */
const isServiceOf = (profile: Profile, { baseUrl, authUrl, controlSecretFile }: Platform["ready"]): boolean =>
  profile.authUrl !== undefined &&
  isSameAddress(profile.baseUrl, baseUrl) &&
  isSameAddress(profile.authUrl, authUrl) &&
  profile.controlSecretFile === controlSecretFile;

/** Removes the profile of a service that has ended. The profile `local` stays, with its credential. */
export const unregisterService = async (
  { name }: ServiceRegistration,
  { env }: Pick<Context, "env">,
): Promise<void> => {
  const removeService = (all: Profiles): Profiles => {
    const profile = findProfile(all, name);
    // Another service may have the profile by now.
    if (!profile || !isDeepStrictEqual(profile.process, createPsProcesses().self)) return all;
    if (profile.ephemeral) return removeProfiles(all, [name]);
    const { process: _, ...endedProfile } = profile;
    return { ...all, profiles: { ...all.profiles, [name]: endedProfile } };
  };
  // The next change of the profiles removes the rest.
  await updateProfiles(profilesFile(env), removeService).catch(() => undefined);
};
