import { type Profile, findProfile } from "../profiles/profile.js";
import { readProfiles } from "../profiles/read-profiles.js";
import { updateProfile } from "../profiles/update-profiles.js";
import { formatKeyringAccount, type KeyringStore, createKeyringStore } from "./keyring/keyring-store.js";
import { openSystemKeyring } from "./keyring/system-keyring.js";
import type { Login, LoginStore } from "../sdk/oauth.js";
import { createProfileStore, readLogin } from "./profile-store.js";

/** A profile, where it is stored and what it is called. */
interface ProfileLocation {
  file: string;
  name: string;
  profile: Profile;
}

const createKeyringStoreFor = ({ file, name, profile }: ProfileLocation): KeyringStore =>
  createKeyringStore({ file, name, initialProfile: profile }, openSystemKeyring);

/** Returns the store of a profile's login: the profiles file, or the system keyring if the profile uses it. */
export const createLoginStore = (location: ProfileLocation): LoginStore =>
  location.profile.store === "keyring"
    ? createKeyringStoreFor(location)
    : createProfileStore(location.file, location.name, location.profile);

/** Reads the login of a profile from wherever it is stored now. Returns undefined when there is none. */
export const readStoredLogin = async (path: string, name: string): Promise<Login | undefined> => {
  const profile = findProfile(readProfiles(path), name);
  if (profile?.inKeyring !== "login") return readLogin(path, name);
  return createKeyringStoreFor({ file: path, name, profile }).read();
};

/** Reads the service token of a profile. Returns undefined when there is none. */
export const readStoredToken = async (location: ProfileLocation): Promise<string | undefined> =>
  location.profile.token ??
  (location.profile.inKeyring === "token" ? createKeyringStoreFor(location).readToken() : undefined);

/** Stores a service token where the profile stores its credential, replacing a login. */
export const storeToken = async (location: ProfileLocation, token: string): Promise<void> => {
  const { file, name, profile } = location;
  if (profile.store === "keyring") return createKeyringStoreFor(location).writeToken(token);
  await updateProfile(file, name, () => ({ ...profile, token }));
};

/** Deletes the keyring entry of a profile whose credential is in the profiles file now. */
export const deleteKeyringEntry = async (path: string, name: string): Promise<void> => {
  await (await openSystemKeyring()).remove(formatKeyringAccount(path, name));
};
