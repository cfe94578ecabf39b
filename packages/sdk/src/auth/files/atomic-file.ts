import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileErrors, systemCode } from "./file-errors.js";

/** A temporary file that is older is nobody's any more: its writer was killed. */
const abandonedAfter = 60_000;
/** Bytes that a credential may need. */
export const roomNeeded = 8_192;

/**
 * Replaces a file as a whole: readers see the old text or the new one, also after a crash. The file is only this user's
 * (0600), and so is its folder if it has to be made (0700). Throws `TokenStoreError`; the old text is kept then.
 */
export const writeAtomically = async (file: string, text: string): Promise<void> => {
  const { target, temporary, handle } = await openTemporary(file);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fileErrors.unwritable(file, error);
  }
  await syncFolder(dirname(target));
  await removeAbandoned(target);
};

/** Throws what `writeAtomically` would for a text of some kilobytes, and leaves everything as it is. */
export const assertWritable = async (file: string): Promise<void> => {
  const { temporary, handle } = await openTemporary(file);
  try {
    // A full disk lets files be made that it lets nobody fill.
    await handle.writeFile(" ".repeat(roomNeeded));
  } catch (error) {
    throw fileErrors.unwritable(file, error);
  } finally {
    await handle.close();
    await rm(temporary, { force: true });
  }
};

const openTemporary = async (
  file: string,
): Promise<{ target: string; temporary: string; handle: FileHandle }> => {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const target = await targetOf(file);
    const temporary = `${target}.${randomBytes(9).toString("base64url")}.tmp`;
    return { target, temporary, handle: await open(temporary, "wx", 0o600) };
  } catch (error) {
    throw fileErrors.unwritable(file, error);
  }
};

/** A link stays a link: what it leads to is replaced. */
export const behindLink = async (file: string): Promise<string> => {
  try {
    return (await lstat(file)).isSymbolicLink() ? await realpath(file) : file;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return file;
    throw error;
  }
};

/** Whoever has marked a file read-only wants it to stay, though its folder would let it be replaced. */
export const targetOf = async (file: string): Promise<string> => {
  const target = await behindLink(file);
  try {
    const { mode } = await stat(target);
    if ((mode & constants.S_IWUSR) === 0) throw fileErrors.readOnly(file, "it is marked read-only");
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  return target;
};

/** So that a crash does not undo the rename. Not all systems can. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
};

/** Temporary files hold secrets, and those of killed writers would stay for ever. */
const removeAbandoned = async (target: string): Promise<void> => {
  const folder = dirname(target);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(`${basename(target)}.`) || !name.endsWith(".tmp")) continue;
    const path = join(folder, name);
    const written = await stat(path).catch(() => undefined);
    if (written && Date.now() - written.mtimeMs > abandonedAfter) await rm(path, { force: true });
  }
};
