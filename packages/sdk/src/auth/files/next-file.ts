import { createHash } from "node:crypto";
import { type FileHandle, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Credential, isCredential } from "../credential.js";
import type { Reservation } from "../token-store.js";
import { behindLink, roomNeeded, syncFolder, targetOf } from "./atomic-file.js";
import { fileErrors, isReadOnly, systemCode } from "./file-errors.js";

// `<file>.next` is made before a refresh token is used up, and filled through its descriptor afterwards, which works whatever
// has become of the rights meanwhile. It then replaces the file, or, where that is forbidden by now, is read beside it. It
// says which text it replaces (by its SHA-256), and counts for no other.

const nextOf = (target: string): string => `${target}.next`;
const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** What `read` of the file's text gives: the credential that replaces it, if there is a whole one, or else its own. */
export const newestOf = async (file: string, text: string, own: Credential): Promise<Credential> =>
  (await readNext(file, text)) ?? withoutMark(own);

const readNext = async (file: string, text: string): Promise<Credential | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(nextOf(await behindLink(file)), "utf8"));
    const isItsOwn = isCredential(value) && "replaces" in value && value.replaces === digestOf(text);
    return isItsOwn ? withoutMark(value) : undefined;
  } catch {
    return undefined;
  }
};

const withoutMark = (credential: Credential & { replaces?: unknown }): Credential => {
  const { replaces: _, ...rest } = credential;
  return rest;
};

/** Forgets what could replace the file. */
export const removeNext = async (target: string): Promise<void> => rm(nextOf(target), { force: true });

/**
 * Under the lock of the file: makes sure that its next credential can be kept. Throws what a write would throw now. What could
 * not replace the file the last time does so first.
 */
export const reserveNext = async (file: string): Promise<Reservation> => {
  try {
    const target = await targetOf(file);
    const text = await settle(file, target);
    const handle = await open(nextOf(target), "wx", 0o600);
    const place = { file, target, handle, replaces: digestOf(text) };
    try {
      // A full disk lets files be made that it lets nobody fill.
      await handle.writeFile(" ".repeat(roomNeeded));
    } catch (error) {
      await leave(place, false);
      throw error;
    }
    let isFilled = false;
    return {
      async write(credential) {
        await fill(place, credential);
        isFilled = true;
        await replace(place);
      },
      release: () => leave(place, isFilled),
    };
  } catch (error) {
    throw fileErrors.unwritable(file, error);
  }
};

/** Gives the file's text when nothing stands beside it any more. */
const settle = async (file: string, target: string): Promise<string> => {
  const text = await textOf(target);
  if (!(await readNext(file, text))) {
    await removeNext(target);
    return text;
  }
  await rename(nextOf(target), target);
  return textOf(target);
};

const textOf = (target: string): Promise<string> =>
  readFile(target, "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  });

interface Place {
  file: string;
  target: string;
  handle: FileHandle;
  replaces: string;
}

const fill = async ({ file, handle, replaces }: Place, credential: Credential): Promise<void> => {
  try {
    const bytes = Buffer.from(`${JSON.stringify({ ...credential, replaces }, undefined, 2)}\n`);
    await handle.write(bytes, 0, bytes.length, 0);
    await handle.truncate(bytes.length);
    await handle.sync();
  } catch (error) {
    throw fileErrors.unwritable(file, error);
  }
};

/** Whether the place is this holder's still: one of the lock that was thought dead has an heir, whose place is there now. */
const isOwn = async ({ target, handle }: Place): Promise<boolean> => {
  const [mine, found] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(nextOf(target), { bigint: true }).catch(() => undefined),
  ]);
  return found?.ino === mine.ino && found.dev === mine.dev;
};

const replace = async (place: Place): Promise<void> => {
  const { file, target } = place;
  if (!(await isOwn(place))) throw fileErrors.overtaken(file);
  try {
    await targetOf(file);
    await rename(nextOf(target), target);
  } catch (error) {
    // Then it is read where it is.
    if (isReadOnly(error)) return;
    throw fileErrors.unwritable(file, error);
  }
  await syncFolder(dirname(target));
};

const leave = async (place: Place, isFilled: boolean): Promise<void> => {
  const isLeft = !isFilled && (await isOwn(place).catch(() => false));
  await place.handle.close();
  if (isLeft) await removeNext(place.target).catch(() => undefined);
};
