import { type Profile, profileNamed } from "../profiles/profile.js";
import { readProfiles } from "../profiles/read-profiles.js";
import { updateProfile } from "../profiles/update-profiles.js";
import { accountOf, type KeyringStore, keyringStore } from "./keyring/keyring-store.js";
import { openSystemKeyring } from "./keyring/system-keyring.js";
import type { Login, LoginStore } from "../sdk/oauth.js";
import { profileStore, readLogin } from "./profile-store.js";

/** A profile, where it is stored and what it is called. */
interface NamedProfile {
  file: string;
  name: string;
  profile: Profile;
}

const keyringStoreOf = ({ file, name, profile }: NamedProfile): KeyringStore =>
  keyringStore({ file, name, initial: profile }, openSystemKeyring);

/** Returns the store of a profile's login: the profiles file, or the system keyring if the profile says so. */
export const storeOf = (named: NamedProfile): LoginStore =>
  named.profile.store === "keyring"
    ? keyringStoreOf(named)
    : profileStore(named.file, named.name, named.profile);

/** Reads the login of a profile from wherever it is stored now. Returns undefined when there is none. */
export const readStoredLogin = async (file: string, name: string): Promise<Login | undefined> => {
  const profile = profileNamed(readProfiles(file), name);
  if (profile?.inKeyring !== "login") return readLogin(file, name);
  return keyringStoreOf({ file, name, profile }).read();
};

/** Reads the service token of a profile. Returns undefined when there is none. */
export const readStoredToken = async (named: NamedProfile): Promise<string | undefined> =>
  named.profile.token ??
  (named.profile.inKeyring === "token" ? keyringStoreOf(named).readToken() : undefined);

/** Stores a service token where the profile stores its credential, replacing a login. */
export const writeToken = async (named: NamedProfile, token: string): Promise<void> => {
  const { file, name, profile } = named;
  if (profile.store === "keyring") return keyringStoreOf(named).writeToken(token);
  await updateProfile(file, name, () => ({ ...profile, token }));
};

/** Deletes the keyring entry of a profile whose credential is in the profiles file now. */
export const removeFromKeyring = async (file: string, name: string): Promise<void> => {
  await (await openSystemKeyring()).remove(accountOf(file, name));
};
