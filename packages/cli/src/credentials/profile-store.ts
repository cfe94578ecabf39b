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
 * @param initialProfile The profile to create when there is none of that name yet.
 */
export const createProfileStore = (file: string, name: string, initialProfile: Profile): LoginStore => {
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
    readProfiles(file);
    await assertWritable(file);
  };
  return {
    read: async () => readLogin(file, name),
    async write(login) {
      await updateProfiles(file, createLoginUpdate(login));
      removeRefreshedLogin(file, name);
    },
    probe,
    async reserve() {
      await probe();
      const storedLogin = readLoginFromProfile(file, name);
      const unsavedLogin = storedLogin && readRefreshedLogin(file, name, storedLogin);
      // A process was killed before it could move this login to the profiles file.
      if (unsavedLogin) await updateProfiles(file, createLoginUpdate(unsavedLogin));
      const refreshedLogin = prepareRefreshedLogin(file, name, unsavedLogin ?? storedLogin);
      let isPending = false;
      return {
        async write(login) {
          refreshedLogin.write(login);
          isPending = true;
          await updateProfilesOnceWritable(file, createLoginUpdate(login));
          isPending = false;
        },
        async release() {
          if (!isPending) refreshedLogin.remove();
          refreshedLogin.close();
        },
      };
    },
    clear: () => removeCredential(file, name),
    lock: createCredentialLock(file, name),
  };
};

/** Returns the lock of a profile's credential. It is beside the profiles file even if the credential is in the keyring. */
export const createCredentialLock =
  (file: string, name: string): NonNullable<LoginStore["lock"]> =>
  async (work, { signal }) => {
    await assertWritable(file);
    return withFileLock(`${file}.${name}.lock`, work, { signal });
  };

/** Reads the newest login of a profile. Returns undefined when there is none. */
export const readLogin = (file: string, name: string): Login | undefined => {
  const login = readLoginFromProfile(file, name);
  return login && (readRefreshedLogin(file, name, login) ?? login);
};

const readLoginFromProfile = (file: string, name: string): Login | undefined => {
  const login = findProfile(readProfiles(file), name)?.login;
  if (login === undefined) return undefined;
  if (!isLogin(login)) throw corruptProfilesError(file, `the login of profile ${name} is incomplete`);
  return login;
};

/** Removes the credential from a profile in the profiles file. */
export const removeCredential = async (file: string, name: string): Promise<void> => {
  await updateProfiles(file, (storedProfiles) => {
    const profile = findProfile(storedProfiles, name);
    if (!profile) return storedProfiles;
    return { ...storedProfiles, profiles: { ...storedProfiles.profiles, [name]: omitCredential(profile) } };
  });
  removeRefreshedLogin(file, name);
};
