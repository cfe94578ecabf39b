import { corruptProfiles } from "../errors.js";
import { type Profile, profileNamed, type Profiles, withoutCredential } from "../profiles/profile.js";
import { readProfiles } from "../profiles/read-profiles.js";
import { assertWritable, updateProfiles, updateProfilesAsPromised } from "../profiles/update-profiles.js";
import { type Credential, isCredential, type TokenStore, withFileLock } from "./sdk-auth.js";

/**
 * The login of one profile. Processes that use the profile refresh once: its lock is its own, so that logins of other
 * profiles do not wait for an authorization server that hangs. `made` is what the profile becomes when it is not there yet.
 */
export const profileStore = (file: string, name: string, made: Profile): TokenStore => {
  const keeping =
    (login: Credential) =>
    (all: Profiles): Profiles => {
      const { store: _, ...rest } = withoutCredential(profileNamed(all, name) ?? made);
      return { ...all, profiles: { ...all.profiles, [name]: { ...rest, login } } };
    };
  const probe = async (): Promise<void> => {
    readProfiles(file);
    await assertWritable(file);
  };
  return {
    read: async () => readLogin(file, name),
    async write(login) {
      await updateProfiles(file, keeping(login));
    },
    probe,
    async reserve() {
      await probe();
      return {
        write: (login) => updateProfilesAsPromised(file, keeping(login)),
        release: async () => undefined,
      };
    },
    clear: () => forgetCredential(file, name),
    lock: lockOf(file, name),
  };
};

/** Wherever the credential lies, whoever changes it holds the lock beside the file. */
export const lockOf =
  (file: string, name: string): NonNullable<TokenStore["lock"]> =>
  async (work, { signal }) => {
    await assertWritable(file);
    return withFileLock(`${file}.${name}.lock`, work, { signal });
  };

/** The login as the file holds it; undefined when there is none. */
export const readLogin = (file: string, name: string): Credential | undefined => {
  const login = profileNamed(readProfiles(file), name)?.login;
  if (login === undefined) return undefined;
  if (!isCredential(login))
    throw corruptProfiles(file, `the login of profile ${name} lacks what a login has`);
  return login;
};

/** Takes the credential out of a profile; the rest stays. */
export const forgetCredential = async (file: string, name: string): Promise<void> => {
  await updateProfiles(file, (all) => {
    const profile = profileNamed(all, name);
    if (!profile) return all;
    return { ...all, profiles: { ...all.profiles, [name]: withoutCredential(profile) } };
  });
};
