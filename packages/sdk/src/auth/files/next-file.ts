import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "@mgmt/internal/errors/error-code";
import { type Credential, isCredential } from "../credential.js";
import type { Reservation } from "../token-store.js";
import { readCredentialFile, reservedBytes, resolveLink, syncFolder, targetOf } from "./credential-file.js";
import { fileErrors, isReadOnly } from "./file-errors.js";
import { syncFile } from "@mgmt/internal/files/sync-file";

// `<file>.next` is created before a refresh token is used. Afterwards it is written through its open descriptor, which
// works even if permissions have changed since. It then replaces the file or, if that is no longer permitted, is read
// beside it. It contains the SHA-256 digest of the text that it replaces, and is ignored for any other text.

const nextOf = (target: string): string => `${target}.next`;
const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Returns the credential in `<file>.next` if it replaces this text, or else the file's own. */
export const newestOf = async (file: string, text: string, own: Credential): Promise<Credential> =>
  (await readNext(file, text)) ?? withoutDigest(own);

const readNext = async (file: string, text: string): Promise<Credential | undefined> => {
  try {
    const value: unknown = JSON.parse(await readCredentialFile(nextOf(await resolveLink(file))));
    const isItsOwn = isCredential(value) && "replaces" in value && value.replaces === digestOf(text);
    return isItsOwn ? withoutDigest(value) : undefined;
  } catch {
    return undefined;
  }
};

const withoutDigest = (credential: Credential & { replaces?: unknown }): Credential => {
  const { replaces: _, ...rest } = credential;
  return rest;
};

/** Removes `<file>.next`. */
export const removeNext = async (target: string): Promise<void> => rm(nextOf(target), { force: true });

/**
 * Reserves space for the next credential. Call it under the lock of the file. Throws the same errors as a write would.
 * If an earlier `<file>.next` could not replace the file, it replaces it first.
 */
export const reserveNext = async (file: string): Promise<Reservation> => {
  try {
    const target = await targetOf(file);
    const text = await applyPending(file, target);
    const handle = await open(nextOf(target), "wx", 0o600);
    const next = { file, target, handle, replaces: digestOf(text) };
    try {
      // On a full disk, creating an empty file can succeed while writing to it fails.
      await handle.writeFile(" ".repeat(reservedBytes));
    } catch (error) {
      await closeNext(next, false);
      throw error;
    }
    let isFilled = false;
    return {
      async write(credential) {
        await writeNext(next, credential);
        isFilled = true;
        await replaceFile(next);
      },
      release: () => closeNext(next, isFilled),
    };
  } catch (error) {
    throw fileErrors.unwritable(file, error);
  }
};

/** Applies or removes an earlier `<file>.next`, then returns the file's text. */
const applyPending = async (file: string, target: string): Promise<string> => {
  const text = await textOf(target);
  if (!(await readNext(file, text))) {
    await removeNext(target);
    return text;
  }
  await rename(nextOf(target), target);
  return textOf(target);
};

const textOf = (target: string): Promise<string> =>
  readCredentialFile(target).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  });

interface NextFile {
  file: string;
  target: string;
  handle: FileHandle;
  replaces: string;
}

const writeNext = async ({ file, handle, replaces }: NextFile, credential: Credential): Promise<void> => {
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
 * Reports whether `<file>.next` is still the one this holder created. A holder that was considered dead may have an
 * heir that has created another.
 */
const isOwn = async ({ target, handle }: NextFile): Promise<boolean> => {
  const [mine, current] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(nextOf(target), { bigint: true }).catch(() => undefined),
  ]);
  return current?.ino === mine.ino && current.dev === mine.dev;
};

const replaceFile = async (next: NextFile): Promise<void> => {
  const { file, target } = next;
  if (!(await isOwn(next))) throw fileErrors.overtaken(file);
  try {
    await targetOf(file);
    await rename(nextOf(target), target);
  } catch (error) {
    // The credential is then read from `<file>.next`.
    if (isReadOnly(error)) return;
    throw fileErrors.unwritable(file, error);
  }
  await syncFolder(dirname(target));
};

const closeNext = async (next: NextFile, isFilled: boolean): Promise<void> => {
  const isLeft = !isFilled && (await isOwn(next).catch(() => false));
  await next.handle.close();
  if (isLeft) await removeNext(next.target).catch(() => undefined);
};
