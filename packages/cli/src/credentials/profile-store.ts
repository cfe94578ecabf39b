import { corruptProfiles } from "../errors/storage-errors.js";
import { type Profile, profileNamed, type Profiles, withoutCredential } from "../profiles/profile.js";
import { readProfiles } from "../profiles/read-profiles.js";
import { assertWritable, updateProfiles, updateProfilesOnceWritable } from "../profiles/update-profiles.js";
import { isLogin, type Login, type LoginStore, withFileLock } from "./oauth.js";

/**
 * Returns a store for the login of one profile in the profiles file. Each profile has a lock of its own, so that a refresh
 * against an authorization server that hangs does not block other profiles.
 *
 * @param initial The profile to create when there is none of that name yet.
 */
export const profileStore = (file: string, name: string, initial: Profile): LoginStore => {
  const withLogin =
    (login: Login) =>
    (all: Profiles): Profiles => {
      const { store: _, ...rest } = withoutCredential(profileNamed(all, name) ?? initial);
      return { ...all, profiles: { ...all.profiles, [name]: { ...rest, login } } };
    };
  const probe = async (): Promise<void> => {
    readProfiles(file);
    await assertWritable(file);
  };
  return {
    read: async () => readLogin(file, name),
    async write(login) {
      await updateProfiles(file, withLogin(login));
    },
    probe,
    async reserve() {
      await probe();
      return {
        write: (login) => updateProfilesOnceWritable(file, withLogin(login)),
        release: async () => undefined,
      };
    },
    clear: () => removeCredential(file, name),
    lock: lockOf(file, name),
  };
};

/** Returns the lock of a profile's credential. It is beside the profiles file even if the credential is in the keyring. */
export const lockOf =
  (file: string, name: string): NonNullable<LoginStore["lock"]> =>
  async (work, { signal }) => {
    await assertWritable(file);
    return withFileLock(`${file}.${name}.lock`, work, { signal });
  };

/** Reads the login of a profile from the profiles file. Returns undefined when there is none. */
export const readLogin = (file: string, name: string): Login | undefined => {
  const login = profileNamed(readProfiles(file), name)?.login;
  if (login === undefined) return undefined;
  if (!isLogin(login)) throw corruptProfiles(file, `the login of profile ${name} is incomplete`);
  return login;
};

/** Removes the credential from a profile in the profiles file. */
export const removeCredential = async (file: string, name: string): Promise<void> => {
  await updateProfiles(file, (all) => {
    const profile = profileNamed(all, name);
    if (!profile) return all;
    return { ...all, profiles: { ...all.profiles, [name]: withoutCredential(profile) } };
  });
};
