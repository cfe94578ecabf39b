import { corruptProfilesError } from "../errors/storage-errors.js";
import { type Profile, findProfile, type StoredProfiles, omitCredential } from "../profiles/profile.js";
import { readProfiles } from "../profiles/read-profiles.js";
import { assertWritable, updateProfiles, updateProfilesOnceWritable } from "../profiles/update-profiles.js";
import { prepareRefreshedLogin, readRefreshedLogin, removeRefreshedLogin } from "./refreshed-login.js";
import { isLogin, type Login, type LoginStore, withFileLock } from "../sdk/oauth.js";

/**
 * Returns a store for the login of one profile in the profiles file. Each profile has a lock of its own, so that a refresh
 * against an authorization server that hangs does not block other profiles.
 *
 * @param initialProfile the profile to create when there is none of that name yet.
 */
export const createProfileStore = (path: string, name: string, initialProfile: Profile): LoginStore => {
  const createLoginUpdate =
    (login: Login) =>
    (storedProfiles: StoredProfiles): StoredProfiles => {
      const { store: _, ...profileFields } = omitCredential(
        findProfile(storedProfiles, name) ?? initialProfile,
      );
      return {
        ...storedProfiles,
        profiles: { ...storedProfiles.profiles, [name]: { ...profileFields, login } },
      };
    };
  const probe = async (): Promise<void> => {
    readProfiles(path);
    await assertWritable(path);
  };
  return {
    read: async () => readLogin(path, name),
    async write(login) {
      await updateProfiles(path, createLoginUpdate(login));
      removeRefreshedLogin(path, name);
    },
    probe,
    async reserve() {
      await probe();
      const storedLogin = readLoginFromProfile(path, name);
      const unsavedLogin = storedLogin && readRefreshedLogin(path, name, storedLogin);
      // A process was killed before it could move this login to the profiles file.
      if (unsavedLogin) await updateProfiles(path, createLoginUpdate(unsavedLogin));
      const refreshedLogin = prepareRefreshedLogin(path, name, unsavedLogin ?? storedLogin);
      let isPending = false;
      return {
        async write(login) {
          // Set before the write, because a write that fails may leave the only copy of the login.
          isPending = true;
          refreshedLogin.write(login);
          await updateProfilesOnceWritable(path, createLoginUpdate(login));
          isPending = false;
        },
        async release() {
          if (!isPending) refreshedLogin.remove();
          refreshedLogin.close();
        },
      };
    },
    clear: () => removeCredential(path, name),
    lock: createCredentialLock(path, name),
  };
};

/** Returns the lock of a profile's credential. It is beside the profiles file even if the credential is in the keyring. */
export const createCredentialLock =
  (path: string, name: string): NonNullable<LoginStore["lock"]> =>
  async (callback, { signal }) => {
    await assertWritable(path);
    return withFileLock(`${path}.${name}.lock`, callback, { signal });
  };

/** Reads the newest login of a profile. Returns undefined when there is none. */
export const readLogin = (path: string, name: string): Login | undefined => {
  const login = readLoginFromProfile(path, name);
  return login && (readRefreshedLogin(path, name, login) ?? login);
};

const readLoginFromProfile = (path: string, name: string): Login | undefined => {
  const login = findProfile(readProfiles(path), name)?.login;
  if (login === undefined) return undefined;
  if (!isLogin(login)) throw corruptProfilesError(path, `the login of profile ${name} is incomplete`);
  return login;
};

/** Removes the credential from a profile in the profiles file. */
export const removeCredential = async (path: string, name: string): Promise<void> => {
  await updateProfiles(path, (storedProfiles) => {
    const profile = findProfile(storedProfiles, name);
    if (!profile) return storedProfiles;
    return { ...storedProfiles, profiles: { ...storedProfiles.profiles, [name]: omitCredential(profile) } };
  });
  removeRefreshedLogin(path, name);
};
