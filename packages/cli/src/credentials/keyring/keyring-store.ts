import { corruptKeyring } from "../../errors/storage-errors.js";
import { isObject } from "../../json/json-path.js";
import { type Profile, profileNamed, withoutCredential } from "../../profiles/profile.js";
import { readProfiles } from "../../profiles/read-profiles.js";
import { assertWritable, updateProfile } from "../../profiles/update-profiles.js";
import { isLogin, type Login, type LoginStore } from "../../sdk/oauth.js";
import { lockOf, removeCredential } from "../profile-store.js";
import { type OpenKeyring, probeKeyring } from "./keyring.js";

/** A store for a login or a service token. */
export interface KeyringStore extends LoginStore {
  readToken(): Promise<string | undefined>;
  writeToken(token: string): Promise<void>;
  probe(): Promise<void>;
}

/** Returns the name of a profile's keyring entry. It includes the file, since other files may have the same profile name. */
export const accountOf = (file: string, name: string): string => `${name} in ${file}`;

/**
 * Returns a store for the credential of one profile in a keyring. The profiles file only records that the credential is in
 * the keyring and of which kind it is; the lock is beside that file.
 *
 * @param profile `initial` is the profile to create when there is none of that name yet.
 */
export const keyringStore = (
  { file, name, initial }: { file: string; name: string; initial: Profile },
  open: OpenKeyring,
): KeyringStore => {
  const account = accountOf(file, name);
  const storedKind = (): Profile["inKeyring"] => profileNamed(readProfiles(file), name)?.inKeyring;
  const read = async (): Promise<unknown> => {
    const text = await (await open()).read(account);
    return text === undefined ? undefined : parse(account, text);
  };
  const write = async (kind: "login" | "token", value: object): Promise<void> => {
    await (await open()).write(account, JSON.stringify(value));
    // A refresh does not change the file, and must work when the file is read-only.
    if (storedKind() === kind) return;
    await updateProfile(file, name, (profile = initial) => ({
      ...withoutCredential(profile),
      store: "keyring",
      inKeyring: kind,
    }));
  };
  return {
    async read() {
      if (storedKind() !== "login") return undefined;
      const login = await read();
      if (login !== undefined && !isLogin(login)) throw corruptKeyring(account, "the login is incomplete");
      return login;
    },
    write: (login: Login) => write("login", login),
    async readToken() {
      if (storedKind() !== "token") return undefined;
      const entry = await read();
      if (entry === undefined) return undefined;
      const token = isObject(entry) ? entry["token"] : undefined;
      if (typeof token !== "string") throw corruptKeyring(account, "it does not contain a token");
      return token;
    },
    writeToken: (token) => write("token", { token }),
    async probe() {
      readProfiles(file);
      await assertWritable(file);
      await probeKeyring(await open());
    },
    async clear() {
      await (await open()).remove(account);
      await removeCredential(file, name);
    },
    lock: lockOf(file, name),
  };
};

/** The parser's own error message is not shown, because it quotes the text. */
const parse = (account: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw corruptKeyring(account, "it is not JSON");
  }
};
