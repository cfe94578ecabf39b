import { corruptKeyring } from "../../errors.js";
import { type Profile, profileNamed, withoutCredential } from "../../profiles/profile.js";
import { readProfiles } from "../../profiles/read-profiles.js";
import { assertWritable, updateProfile } from "../../profiles/update-profiles.js";
import { forgetCredential, lockOf } from "../profile-store.js";
import { type Credential, isCredential, type TokenStore } from "../sdk-auth.js";
import type { OpenKeyring } from "./keyring.js";
import { probeKeyring } from "./probe-keyring.js";

/** A store that keeps a service token too. */
export interface KeyringStore extends TokenStore {
  readToken(): Promise<string | undefined>;
  writeToken(token: string): Promise<void>;
  probe(): Promise<void>;
}

/** The entry of one profile: other profiles files may have one of the same name. */
export const accountOf = (file: string, name: string): string => `${name} in ${file}`;

/**
 * The credential of one profile in a keyring. The file holds only what kind it is of and that it lies there, so the lock
 * that lets processes refresh once is the file's. `made` is what the profile becomes when it is not there yet.
 */
export const keyringStore = (
  { file, name, made }: { file: string; name: string; made: Profile },
  open: OpenKeyring,
): KeyringStore => {
  const account = accountOf(file, name);
  const kindNow = (): Profile["inKeyring"] => profileNamed(readProfiles(file), name)?.inKeyring;
  const read = async (): Promise<unknown> => {
    const text = await (await open()).read(account);
    return text === undefined ? undefined : parse(account, text);
  };
  const write = async (kind: "login" | "token", value: object): Promise<void> => {
    await (await open()).write(account, JSON.stringify(value));
    // A refresh changes nothing in the file, and must not need to.
    if (kindNow() === kind) return;
    await updateProfile(file, name, (profile = made) => ({
      ...withoutCredential(profile),
      store: "keyring",
      inKeyring: kind,
    }));
  };
  return {
    async read() {
      if (kindNow() !== "login") return undefined;
      const login = await read();
      if (login !== undefined && !isCredential(login)) {
        throw corruptKeyring(account, "it lacks what a login has");
      }
      return login;
    },
    write: (login: Credential) => write("login", login),
    async readToken() {
      if (kindNow() !== "token") return undefined;
      const value = await read();
      if (value === undefined) return undefined;
      if (!isTokenEntry(value)) throw corruptKeyring(account, "it holds no token");
      return value.token;
    },
    writeToken: (token) => write("token", { token }),
    async probe() {
      readProfiles(file);
      await assertWritable(file);
      await probeKeyring(await open());
    },
    async clear() {
      await (await open()).remove(account);
      await forgetCredential(file, name);
    },
    lock: lockOf(file, name),
  };
};

const isTokenEntry = (value: unknown): value is { token: string } =>
  typeof value === "object" && value !== null && "token" in value && typeof value.token === "string";

/** The parser's own error quotes the text. */
const parse = (account: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw corruptKeyring(account, "it is not JSON");
  }
};
