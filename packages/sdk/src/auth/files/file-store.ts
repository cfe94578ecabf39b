import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { Credential } from "../credential.js";
import { TokenStoreError } from "../auth-error.js";
import { parseCredential } from "../parse-credential.js";
import type { TokenStore } from "../token-store.js";
import {
  assertCredentialFileWritable,
  readCredentialFile,
  replaceCredentialFile,
  resolveLink,
} from "./credential-file.js";
import { fileErrors } from "./file-errors.js";
import { withFileLock } from "./lease-lock.js";
import { selectNewestCredential, removeNextFile, reserveNextFile } from "./next-file.js";

/**
 * Creates a store that keeps a credential in a file of its own, as JSON. Each write replaces the file atomically, with
 * mode 0600; a missing folder is created with mode 0700. Processes that share the file refresh only once, by means of
 * the lock file `<path>.lock`.
 *
 * The file and its folder may become read-only at any time. Before a refresh token is used, `<path>.next` is created
 * with mode 0600. It receives the new credential and then replaces the file. If the replacement is no longer permitted,
 * `<path>.next` remains beside the file, all processes read it there, and the next write removes it. If nothing can be
 * written before the refresh starts, no refresh starts, because other processes could not see its result
 * (`auth:store_read_only`); the login in the file remains valid.
 *
 * Throws `TokenStoreError` and leaves the file unchanged: `auth:store_corrupt` if the file does not contain a
 * credential, `auth:store_unreadable` (also for a file that another account could have written), `auth:store_read_only` (also for a file that is marked read-only) or
 * `auth:store_failed` (for example a full disk, or a folder that is not a directory). A missing file means that no one
 * is logged in.
 */
export const fileStore = (path: string): TokenStore => {
  const absolutePath = resolve(path);
  return {
    read: () => readNewestCredential(absolutePath),
    async write(credential) {
      await replaceCredentialFile(absolutePath, `${JSON.stringify(credential, undefined, 2)}\n`);
      await removeNextFile(await resolveLink(absolutePath)).catch(() => undefined);
    },
    probe: () => assertCredentialFileWritable(absolutePath),
    reserve: () => reserveNextFile(absolutePath),
    async clear() {
      try {
        const target = await resolveLink(absolutePath);
        await rm(absolutePath, { force: true });
        await removeNextFile(target);
      } catch (error) {
        throw fileErrors.unwritable(absolutePath, error);
      }
    },
    lock: (callback, { signal }) => withFileLock(`${absolutePath}.lock`, callback, { signal }),
  };
};

const readNewestCredential = async (path: string): Promise<Credential | undefined> => {
  let credentialJson: string;
  try {
    credentialJson = await readCredentialFile(path);
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return undefined;
    if (error instanceof TokenStoreError) throw error;
    throw fileErrors.unreadable(path, error);
  }
  return selectNewestCredential(path, credentialJson, parseCredential(path, credentialJson));
};
