import { corruptProfiles } from "../errors/storage-errors.js";
import { type Profile, profileNamed, type Profiles, withoutCredential } from "../profiles/profile.js";
import { readProfiles } from "../profiles/read-profiles.js";
import { assertWritable, updateProfiles, updateProfilesOnceWritable } from "../profiles/update-profiles.js";
import { prepareRefreshedLogin, readRefreshedLogin, removeRefreshedLogin } from "./refreshed-login.js";
import { isLogin, type Login, type LoginStore, withFileLock } from "../sdk/oauth.js";

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
      removeRefreshedLogin(file, name);
    },
    probe,
    async reserve() {
      await probe();
      const stored = readStored(file, name);
      const left = stored && readRefreshedLogin(file, name, stored);
      // A process was killed before it could move this login to the profiles file.
      if (left) await updateProfiles(file, withLogin(left));
      const refreshed = prepareRefreshedLogin(file, name, left ?? stored);
      let isPending = false;
      return {
        async write(login) {
          refreshed.write(login);
          isPending = true;
          await updateProfilesOnceWritable(file, withLogin(login));
          isPending = false;
        },
        async release() {
          if (!isPending) refreshed.remove();
          refreshed.close();
        },
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

/** Reads the newest login of a profile. Returns undefined when there is none. */
export const readLogin = (file: string, name: string): Login | undefined => {
  const login = readStored(file, name);
  return login && (readRefreshedLogin(file, name, login) ?? login);
};

const readStored = (file: string, name: string): Login | undefined => {
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
  removeRefreshedLogin(file, name);
};
