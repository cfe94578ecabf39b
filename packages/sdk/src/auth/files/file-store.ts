import { readFile, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { type Credential, isCredential } from "../credential.js";
import { authErrors } from "../errors.js";
import type { TokenStore } from "../token-store.js";
import { assertWritable, behindLink, writeAtomically } from "./atomic-file.js";
import { fileErrors, systemCode } from "./file-errors.js";
import { withFileLock } from "./file-lock.js";
import { newestOf, removeNext, reserveNext } from "./next-file.js";

/**
 * Keeps a credential in a file of its own, as JSON that only this user can read (0600, in a folder that is made with 0700),
 * replaced as a whole at each write. Processes that share it refresh once: its lock is `<path>.lock`.
 *
 * File and folder may become read-only at any time. Before a refresh token is used up, `<path>.next` is made (0600), which is
 * filled with the new credential and then replaces the file. Where that has been forbidden meanwhile, it stays beside the
 * file, all processes read it there, and the next write clears it away. What nothing can mend: where nothing may be written
 * before the refresh begins, there is no place that the others could see its result in, so none begins
 * (`auth:store_read_only`), and the login in the file stays good.
 *
 * Throws `TokenStoreError`, and leaves the file as it is: `auth:store_corrupt` when it holds no credential,
 * `auth:store_unreadable`, `auth:store_read_only` (also for a file that is marked read-only), `auth:store_failed` (a full disk,
 * a folder that is none). A missing file is nobody logged in.
 */
export const fileStore = (path: string): TokenStore => {
  const file = resolve(path);
  return {
    read: () => read(file),
    async write(credential) {
      await writeAtomically(file, `${JSON.stringify(credential, undefined, 2)}\n`);
      await removeNext(await behindLink(file)).catch(() => undefined);
    },
    probe: () => assertWritable(file),
    reserve: () => reserveNext(file),
    async clear() {
      try {
        const target = await behindLink(file);
        await rm(file, { force: true });
        await removeNext(target);
      } catch (error) {
        throw fileErrors.unwritable(file, error);
      }
    },
    lock: (work, { signal }) => withFileLock(`${file}.lock`, work, { signal }),
  };
};

const read = async (file: string): Promise<Credential | undefined> => {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fileErrors.unreadable(file, error);
  }
  const value = parse(file, text);
  if (!isCredential(value)) throw authErrors.corrupt(file, "lacks what a credential has");
  return newestOf(file, text, value);
};

/** The parser's own error quotes the text. */
const parse = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw authErrors.corrupt(file, text.trim() === "" ? "is empty" : "is not JSON");
  }
};
