import { type Profile, profileNamed } from "../profiles/profile.js";
import { readProfiles } from "../profiles/read-profiles.js";
import { updateProfile } from "../profiles/update-profiles.js";
import { accountOf, type KeyringStore, keyringStore } from "./keyring/keyring-store.js";
import { openOsKeyring } from "./keyring/os-keyring.js";
import { profileStore, readLogin } from "./profile-store.js";
import type { Credential, TokenStore } from "./sdk-auth.js";

interface Named {
  file: string;
  name: string;
  profile: Profile;
}

const inKeyring = ({ file, name, profile }: Named): KeyringStore =>
  keyringStore({ file, name, made: profile }, openOsKeyring);

/** Where the login of a profile is kept: its file, or the keyring of the system when the profile says so. */
export const storeOf = (named: Named): TokenStore =>
  named.profile.store === "keyring" ? inKeyring(named) : profileStore(named.file, named.name, named.profile);

/** The login of a profile as it is kept now, wherever that is; undefined when there is none. */
export const readKeptLogin = async (file: string, name: string): Promise<Credential | undefined> => {
  const profile = profileNamed(readProfiles(file), name);
  if (profile?.inKeyring !== "login") return readLogin(file, name);
  return inKeyring({ file, name, profile }).read();
};

/** The service token of a profile; undefined when there is none. */
export const readKeptToken = async (named: Named): Promise<string | undefined> =>
  named.profile.token ?? (named.profile.inKeyring === "token" ? inKeyring(named).readToken() : undefined);

/** Keeps a service token where the profile keeps its credential; it takes the place of a login. */
export const writeToken = async (named: Named, token: string): Promise<void> => {
  const { file, name, profile } = named;
  if (profile.store === "keyring") return inKeyring(named).writeToken(token);
  await updateProfile(file, name, () => ({ ...profile, token }));
};

/** Deletes the entry of a profile whose credential has moved to the file. */
export const removeFromKeyring = async (file: string, name: string): Promise<void> => {
  await (await openOsKeyring()).remove(accountOf(file, name));
};
