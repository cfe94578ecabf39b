import {
  chmod,
  copyFile,
  cp,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemErrorCode } from "../platform-error.js";

interface MissingLink {
  /** Both relative to the package: `native/lib/libpq.so.5.18`, `native/lib/libpq.so.5`. */
  source: string;
  target: string;
}

/** npm packages cannot carry symbolic links, so the package lists those that its install script would make. */
const readMissingLinks = async (native: string): Promise<MissingLink[]> => {
  const links: unknown = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8"));
  return Array.isArray(links) ? links.filter(isMissingLink) : [];
};

const isMissingLink = (value: unknown): value is MissingLink =>
  typeof value === "object" &&
  value !== null &&
  "source" in value &&
  typeof value.source === "string" &&
  "target" in value &&
  typeof value.target === "string";

/**
 * Makes the library links that the package's install script makes, where it has not run.
 *
 * @returns whether all links are there now: false where the directory cannot be written.
 */
export const completeLinks = async (native: string): Promise<boolean> => {
  for (const { source, target } of await readMissingLinks(native)) {
    try {
      await symlink(basename(source), join(dirname(native), target));
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") return false;
    }
  }
  return true;
};

/**
 * A complete copy of the package's programs under `base`, made once: for programs without their links in a directory
 * that cannot be written, or under a home that Postgres's account cannot enter. Hard links where the file system allows.
 *
 * @returns its directory of programs.
 */
export const stagePrograms = async (native: string, base: string, name: string): Promise<string> => {
  const staged = join(base, name);
  const bin = join(staged, "bin");
  if ((await stat(bin).catch(() => undefined)) !== undefined) return bin;

  const temporary = await mkdtemp(`${staged}.`);
  try {
    await placeDirectory(native, join(temporary, "native"));
    await completeLinks(join(temporary, "native"));
    await rename(join(temporary, "native"), staged);
  } catch (error) {
    // Another process has finished the same copy meanwhile.
    if (!["ENOTEMPTY", "EEXIST"].includes(systemErrorCode(error) ?? "")) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return bin;
};

/** Needed to compile extensions only. */
const isForDevelopers = (name: string): boolean =>
  name.endsWith(".a") || name === "pkgconfig" || name === "pgxs";

const placeDirectory = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o755 });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (isForDevelopers(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await placeDirectory(source, target);
    else if (entry.isSymbolicLink()) await cp(source, target, { verbatimSymlinks: true });
    else await placeFile(source, target);
  }
};

const placeFile = async (source: string, target: string): Promise<void> => {
  const { mode } = await lstat(source);
  const executable = (mode & 0o100) !== 0;
  const readableByAll = (mode & 0o444) === 0o444 && (!executable || (mode & 0o111) === 0o111);
  if (readableByAll) {
    try {
      await link(source, target);
      return;
    } catch {
      // Another file system, or a kernel that protects hard links: a copy does as well.
    }
  }
  await copyFile(source, target);
  await chmod(target, executable ? 0o755 : 0o644);
};
