import { isDeepStrictEqual } from "node:util";
import { processesByPs } from "@mgmt/internal/processes/start-by-ps";
import type { Platform } from "@mgmt/platform";
import type { Context } from "../../input/context.js";
import {
  hasCredential,
  isOfDev,
  isRunning,
  isSameAddress,
  localProfile,
  type Profile,
  profileNamed,
  type Profiles,
  withoutProfiles,
} from "../../profiles/profile.js";
import { profilesFile } from "../../profiles/read-profiles.js";
import { updateProfiles } from "../../profiles/update-profiles.js";

/** The profile with which other commands reach a service that `mgmt dev` runs. */
export interface Registration {
  readonly name: string;
  /** Whether commands use the profile without `--profile`. */
  readonly isActive: boolean;
  /** The profile `local`, if another service that runs has it. */
  readonly holder?: Profile;
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
): Promise<Registration | undefined> => {
  const { baseUrl, authUrl, controlUrl, controlSecretFile, signInKeyFile, token, workspaceId } = ready;
  let name = ephemeral ? ownProfile("ephemeral", baseUrl) : localProfile;
  let holder: Profile | undefined;
  const service = {
    baseUrl,
    authUrl,
    controlUrl,
    controlSecretFile,
    ...(signInKeyFile !== null && { signInKeyFile }),
    process: processesByPs().own,
  };
  const register = (all: Profiles): Profiles => {
    const local = profileNamed(all, localProfile);
    if (!ephemeral && local && isRunning(local)) {
      holder = local;
      name = ownProfile(localProfile, baseUrl);
    }
    const isRemoved = name !== localProfile;
    const before = isRemoved ? undefined : local;
    const profile = before && isServiceOf(before, ready) ? withoutSignInKey(before) : undefined;
    const next: Profile = {
      workspaceId,
      ...(before?.store && { store: before.store }),
      ...profile,
      ...service,
      ...(isRemoved && { ephemeral: true }),
      ...((!profile || !hasCredential(profile) || profile.token !== undefined) && { token }),
    };
    const former = profileNamed(all, all.active);
    const isUsable = former !== undefined && (!isOfDev(former) || isRunning(former));
    const active = isUsable ? all.active : name;
    return { ...all, ...(active !== undefined && { active }), profiles: { ...all.profiles, [name]: next } };
  };
  try {
    const { active } = await updateProfiles(profilesFile(env), register);
    return { name, isActive: active === name, ...(holder && { holder }) };
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
const withoutSignInKey = ({ signInKeyFile: _, ...profile }: Profile): Profile => profile;

/** Two services on this machine cannot have the same port. */
const ownProfile = (kind: string, baseUrl: string): string => `${kind}-${new URL(baseUrl).port || "80"}`;

/** Whether the profile's credential is for this service: it has the same address and the same data directory. */
const isServiceOf = (profile: Profile, { baseUrl, authUrl, controlSecretFile }: Platform["ready"]): boolean =>
  profile.authUrl !== undefined &&
  isSameAddress(profile.baseUrl, baseUrl) &&
  isSameAddress(profile.authUrl, authUrl) &&
  profile.controlSecretFile === controlSecretFile;

/** Removes the profile of a service that has ended. The profile `local` stays, with its credential. */
export const unregisterService = async (
  { name }: Registration,
  { env }: Pick<Context, "env">,
): Promise<void> => {
  const unregister = (all: Profiles): Profiles => {
    const profile = profileNamed(all, name);
    // Another service may have the profile by now.
    if (!profile || !isDeepStrictEqual(profile.process, processesByPs().own)) return all;
    if (profile.ephemeral) return withoutProfiles(all, [name]);
    const { process: _, ...ended } = profile;
    return { ...all, profiles: { ...all.profiles, [name]: ended } };
  };
  // The next change of the profiles removes the rest.
  await updateProfiles(profilesFile(env), unregister).catch(() => undefined);
};
