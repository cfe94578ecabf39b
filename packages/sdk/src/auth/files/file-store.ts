import { readFile, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { type Credential, isCredential } from "../credential.js";
import { authErrors } from "../errors.js";
import type { TokenStore } from "../token-store.js";
import { assertWritable, writeAtomically } from "./atomic-file.js";
import { fileErrors, systemCode } from "./file-errors.js";
import { withFileLock } from "./file-lock.js";

/**
 * Keeps a credential in a file of its own, as JSON that only this user can read (0600, in a folder that is made with 0700),
 * replaced as a whole at each write. Processes that share it refresh once: its lock is `<path>.lock`.
 *
 * Throws `TokenStoreError`, and leaves the file as it is: `auth:store_corrupt` when it holds no credential,
 * `auth:store_unreadable`, `auth:store_read_only` (also for a file that is marked read-only), `auth:store_failed` (a full disk,
 * a folder that is none). A missing file is nobody logged in.
 */
export const fileStore = (path: string): TokenStore => {
  const file = resolve(path);
  return {
    read: () => read(file),
    write: (credential) => writeAtomically(file, `${JSON.stringify(credential, undefined, 2)}\n`),
    probe: () => assertWritable(file),
    async clear() {
      try {
        await rm(file, { force: true });
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
  return value;
};

/** The parser's own error quotes the text. */
const parse = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw authErrors.corrupt(file, text.trim() === "" ? "is empty" : "is not JSON");
  }
};
