import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { type Credential, isCredential } from "../credential.js";
import type { Reservation } from "../token-store.js";
import { readCredentialFile, resolveLink, syncFolder, resolveWritableTarget } from "./credential-file.js";
import { fileErrors, isReadOnlyError } from "./file-errors.js";
import { preallocationPadding } from "@mgmt/internal/files/preallocation-padding";
import { syncFile } from "@mgmt/internal/files/sync-file";

// `<file>.next` is created before a refresh token is used. Afterwards it is written through its open descriptor, which
// works even if permissions have changed since. It then replaces the file or, if that is no longer permitted, is read
// beside it. It contains the SHA-256 digest of the text that it replaces, and is ignored for any other text.

const getNextFilePath = (target: string): string => `${target}.next`;
const computeDigest = (content: string): string => createHash("sha256").update(content).digest("base64url");

/** Returns the credential in `<file>.next` if it replaces this text, or else the file's own. */
export const selectNewestCredential = async (
  path: string,
  credentialJson: string,
  storedCredential: Credential,
): Promise<Credential> => (await readNextCredential(path, credentialJson)) ?? omitDigest(storedCredential);

const readNextCredential = async (path: string, credentialJson: string): Promise<Credential | undefined> => {
  try {
    const value: unknown = JSON.parse(await readCredentialFile(getNextFilePath(await resolveLink(path))));
    const replacesStoredText =
      isCredential(value) && "replaces" in value && value.replaces === computeDigest(credentialJson);
    return replacesStoredText ? omitDigest(value) : undefined;
  } catch {
    return undefined;
  }
};

const omitDigest = (credential: Credential & { replaces?: unknown }): Credential => {
  const { replaces: _, ...credentialFields } = credential;
  return credentialFields;
};

/** Removes `<file>.next`. */
export const removeNextFile = async (target: string): Promise<void> =>
  rm(getNextFilePath(target), { force: true });

/**
 * Reserves space for the next credential. Call it under the lock of the file. Throws the same errors as a write would.
 * If an earlier `<file>.next` could not replace the file, it replaces it first.
 */
export const reserveNextFile = async (path: string): Promise<Reservation> => {
  try {
    const target = await resolveWritableTarget(path);
    const credentialJson = await applyPendingNextFile(path, target);
    const handle = await open(getNextFilePath(target), "wx", 0o600);
    const nextFile = { file: path, target, handle, replaces: computeDigest(credentialJson) };
    try {
      await handle.writeFile(preallocationPadding);
    } catch (error) {
      await closeNextFile(nextFile, { isFilled: false });
      throw error;
    }
    let isFilled = false;
    return {
      async write(credential) {
        await writeNextFile(nextFile, credential);
        isFilled = true;
        await replaceFile(nextFile);
      },
      release: () => closeNextFile(nextFile, { isFilled }),
    };
  } catch (error) {
    throw fileErrors.unwritable(path, error);
  }
};

/** Applies or removes an earlier `<file>.next`, then returns the file's text. */
const applyPendingNextFile = async (path: string, target: string): Promise<string> => {
  const credentialJson = await readTextIfExists(target);
  if (!(await readNextCredential(path, credentialJson))) {
    await removeNextFile(target);
    return credentialJson;
  }
  await rename(getNextFilePath(target), target);
  return readTextIfExists(target);
};

const readTextIfExists = (target: string): Promise<string> =>
  readCredentialFile(target).catch((error: unknown) => {
    if (readErrorCode(error) === "ENOENT") return "";
    throw error;
  });

interface NextFile {
  file: string;
  target: string;
  handle: FileHandle;
  replaces: string;
}

const writeNextFile = async ({ file, handle, replaces }: NextFile, credential: Credential): Promise<void> => {
  try {
    const bytes = Buffer.from(`${JSON.stringify({ ...credential, replaces }, undefined, 2)}\n`);
    await handle.write(bytes, 0, bytes.length, 0);
    await handle.truncate(bytes.length);
    await syncFile(handle);
  } catch (error) {
    throw fileErrors.unwritable(file, error);
  }
};

/**
 * Reports whether `<file>.next` is still the one this holder created. A holder that was considered dead may have a
 * successor that has created another.
 */
const isStillOwnFile = async ({ target, handle }: NextFile): Promise<boolean> => {
  const [ownStats, currentStats] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(getNextFilePath(target), { bigint: true }).catch(() => undefined),
  ]);
  return currentStats?.ino === ownStats.ino && currentStats.dev === ownStats.dev;
};

const replaceFile = async (nextFile: NextFile): Promise<void> => {
  const { file, target } = nextFile;
  if (!(await isStillOwnFile(nextFile))) throw fileErrors.overtaken(file);
  try {
    await resolveWritableTarget(file);
    await rename(getNextFilePath(target), target);
  } catch (error) {
    // The credential is then read from `<file>.next`.
    if (isReadOnlyError(error)) return;
    throw fileErrors.unwritable(file, error);
  }
  await syncFolder(dirname(target));
};

const closeNextFile = async (
  nextFile: NextFile,
  { isFilled }: { readonly isFilled: boolean },
): Promise<void> => {
  const isLeftover = !isFilled && (await isStillOwnFile(nextFile).catch(() => false));
  await nextFile.handle.close();
  if (isLeftover) await removeNextFile(nextFile.target).catch(() => undefined);
};
