import { corruptKeyringError } from "../../errors/storage-errors.js";
import { isObject } from "../../json/json-path.js";
import { type Profile, findProfile, omitCredential } from "../../profiles/profile.js";
import { readProfiles } from "../../profiles/read-profiles.js";
import { assertWritable, updateProfile } from "../../profiles/update-profiles.js";
import { isLogin, type Login, type LoginStore } from "../../sdk/oauth.js";
import { createCredentialLock, removeCredential } from "../profile-store.js";
import { type OpenKeyring, probeKeyring } from "./keyring.js";

/** A store for a login or a service token. */
export interface KeyringStore extends LoginStore {
  readToken(): Promise<string | undefined>;
  writeToken(token: string): Promise<void>;
  probe(): Promise<void>;
}

/** Returns the name of a profile's keyring entry. It includes the file, since other files may have the same profile name. */
export const formatKeyringAccount = (path: string, name: string): string => `${name} in ${path}`;

/**
 * Returns a store for the credential of one profile in a keyring. The profiles file only records that the credential is in
 * the keyring and of which kind it is; the lock is beside that file.
 *
 * @param location `initialProfile` is the profile to create when there is none of that name yet.
 */
export const createKeyringStore = (
  { file, name, initialProfile }: { file: string; name: string; initialProfile: Profile },
  openKeyring: OpenKeyring,
): KeyringStore => {
  const account = formatKeyringAccount(file, name);
  const readStoredKind = (): Profile["inKeyring"] => findProfile(readProfiles(file), name)?.inKeyring;
  const readEntry = async (): Promise<unknown> => {
    const entryJson = await (await openKeyring()).read(account);
    return entryJson === undefined ? undefined : parseEntry(account, entryJson);
  };
  const writeEntry = async (kind: "login" | "token", value: object): Promise<void> => {
    await (await openKeyring()).write(account, JSON.stringify(value));
    // A refresh does not change the file, and must work when the file is read-only.
    if (readStoredKind() === kind) return;
    await updateProfile(file, name, (profile = initialProfile) => ({
      ...omitCredential(profile),
      store: "keyring",
      inKeyring: kind,
    }));
  };
  return {
    async read() {
      if (readStoredKind() !== "login") return undefined;
      const login = await readEntry();
      if (login !== undefined && !isLogin(login))
        throw corruptKeyringError(account, "the login is incomplete");
      return login;
    },
    write: (login: Login) => writeEntry("login", login),
    async readToken() {
      if (readStoredKind() !== "token") return undefined;
      const entry = await readEntry();
      if (entry === undefined) return undefined;
      const token = isObject(entry) ? entry["token"] : undefined;
      if (typeof token !== "string") throw corruptKeyringError(account, "it does not contain a token");
      return token;
    },
    writeToken: (token) => writeEntry("token", { token }),
    async probe() {
      readProfiles(file);
      await assertWritable(file);
      await probeKeyring(await openKeyring());
    },
    async clear() {
      await (await openKeyring()).remove(account);
      await removeCredential(file, name);
    },
    lock: createCredentialLock(file, name),
  };
};

/** Parses an entry of the keyring. The message of the error does not contain the message of the parser, which quotes the text. */
const parseEntry = (account: string, entryJson: string): unknown => {
  try {
    return JSON.parse(entryJson);
  } catch {
    throw corruptKeyringError(account, "it is not JSON");
  }
};
