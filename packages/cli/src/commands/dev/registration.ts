import { isDeepStrictEqual } from "node:util";
import { createProcessViewWithPs } from "@mgmt/internal/processes/ps-processes";
import type { Platform } from "@mgmt/platform";
import type { Context } from "../../input/context.js";
import {
  hasCredential,
  isDevProfile,
  isDevRunning,
  isSameUrl,
  localProfileName,
  type Profile,
  findProfile,
  type StoredProfiles,
  removeProfiles,
} from "../../profiles/profile.js";
import { getProfilesPath } from "../../profiles/read-profiles.js";
import { updateProfiles } from "../../profiles/update-profiles.js";
import type { ClaimedFolder } from "./claim-folder.js";

/** The profile with which other commands reach a service that `mgmt dev` runs. */
export interface ServiceRegistration {
  readonly name: string;
  /** Whether commands use the profile without `--profile`. */
  readonly isActive: boolean;
  /** The profile `local`, if another service that runs has it. */
  readonly otherLocalProfile?: Profile;
}

/**
 * Stores the service and its token in a profile: `local`, or one of its own for an ephemeral service, and for one beside a service that has
 * `local`. A login to the same service is not changed. The service of a folder has the profile that was claimed for it.
 *
 * The profile becomes the active one if there is none, or if the active one is of a `mgmt dev` that has stopped.
 *
 * @returns undefined, after a warning, if the profiles file cannot be written.
 */
export const registerService = async (
  { ready }: Pick<Platform, "ready">,
  isEphemeralService: boolean,
  { env, output }: Pick<Context, "env" | "output">,
  claimedFolder?: Pick<ClaimedFolder, "folder" | "dataId" | "profileName">,
): Promise<ServiceRegistration | undefined> => {
  const { baseUrl, authUrl, controlUrl, controlSecretFile, signInKeyFile, copyMethod, token, workspaceId } =
    ready;
  let name =
    claimedFolder?.profileName ??
    (isEphemeralService ? formatProfileName("ephemeral", baseUrl) : localProfileName);
  let otherLocalProfile: Profile | undefined;
  const serviceFields = {
    baseUrl,
    authUrl,
    controlUrl,
    controlSecretFile,
    ...(signInKeyFile !== null && { signInKeyFile }),
    copyMethod,
    process: createProcessViewWithPs().self,
    startedAt: new Date().toISOString(),
  };
  const addProfile = (storedProfiles: StoredProfiles): StoredProfiles => {
    const storedLocalProfile = findProfile(storedProfiles, localProfileName);
    if (!claimedFolder && !isEphemeralService && storedLocalProfile && isDevRunning(storedLocalProfile)) {
      otherLocalProfile = storedLocalProfile;
      name = formatProfileName(localProfileName, baseUrl);
    }
    const isRemovedAtEnd = !claimedFolder && name !== localProfileName;
    const replacedProfile = isRemovedAtEnd ? undefined : findProfile(storedProfiles, name);
    const reusedProfile =
      replacedProfile && belongsToService(replacedProfile, ready)
        ? removeSignInKey(replacedProfile)
        : undefined;
    const newProfile: Profile = {
      workspaceId,
      ...(replacedProfile?.store && { store: replacedProfile.store }),
      ...(claimedFolder && { folder: claimedFolder.folder, dataId: claimedFolder.dataId }),
      ...reusedProfile,
      ...serviceFields,
      // The field is about the profile: the profile of a persistent service is also removed at the end, unless it is `local`.
      ...(isRemovedAtEnd && { ephemeral: true }),
      ...((!reusedProfile || !hasCredential(reusedProfile) || reusedProfile.token !== undefined) && {
        token,
      }),
    };
    const activeProfile = findProfile(storedProfiles, storedProfiles.active);
    const isActiveUsable =
      activeProfile !== undefined && (!isDevProfile(activeProfile) || isDevRunning(activeProfile));
    // Elsewhere, the profile of a folder is not used unless it is named.
    const activeName = isActiveUsable || claimedFolder ? storedProfiles.active : name;
    return {
      ...storedProfiles,
      ...(activeName !== undefined && { active: activeName }),
      profiles: { ...storedProfiles.profiles, [name]: newProfile },
    };
  };
  try {
    const { active } = await updateProfiles(getProfilesPath(env), addProfile);
    return {
      name,
      isActive: active === name || claimedFolder !== undefined,
      ...(otherLocalProfile && { otherLocalProfile }),
    };
  } catch (error) {
    const problem = error instanceof Error ? error.message : "unknown reason";
    await output.warn({
      code: "profile:not_registered",
      message: `Profile ${name} was not registered: ${problem}`,
    });
    return undefined;
  }
};

/** Removes the sign-in key of an earlier run if the service was started without a key. */
const removeSignInKey = ({ signInKeyFile: _, ...profile }: Profile): Profile => profile;

/** Returns a name that no other running service of this kind has: two services on this machine cannot have the same port. */
const formatProfileName = (kind: string, baseUrl: string): string =>
  `${kind}-${new URL(baseUrl).port || "80"}`;

/** Returns whether the profile's credential is for this service: it has the same URL and the same data directory. */
const belongsToService = (
  profile: Profile,
  { baseUrl, authUrl, controlSecretFile }: Platform["ready"],
): boolean =>
  profile.authUrl !== undefined &&
  isSameUrl(profile.baseUrl, baseUrl) &&
  isSameUrl(profile.authUrl, authUrl) &&
  profile.controlSecretFile === controlSecretFile;

/** Removes the profile of a service that has stopped. The profile `local` stays, with its credential. */
export const unregisterService = async (
  { name }: ServiceRegistration,
  { env }: Pick<Context, "env">,
): Promise<void> => {
  const removeRegistration = (storedProfiles: StoredProfiles): StoredProfiles => {
    const profile = findProfile(storedProfiles, name);
    // Another service may have the profile by now.
    if (!profile || !isDeepStrictEqual(profile.process, createProcessViewWithPs().self))
      return storedProfiles;
    if (profile.ephemeral) return removeProfiles(storedProfiles, [name]);
    const { process: _, ...stoppedProfile } = profile;
    return { ...storedProfiles, profiles: { ...storedProfiles.profiles, [name]: stoppedProfile } };
  };
  // If this fails, the next command leaves out the profile of an ephemeral service that has stopped.
  await updateProfiles(getProfilesPath(env), removeRegistration).catch(() => undefined);
};
