import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { findReplacementRisk } from "@mgmt/internal/files/replacement-risk";
import { createProcessViewWithPs } from "@mgmt/internal/processes/ps-processes";
import { CliError } from "../../errors/cli-error.js";
import { folderInUseError, foreignStackDataError, unusableFolderError } from "../../errors/dev-errors.js";
import { openPinnedFolder } from "../../files/pinned-folder.js";
import { readPrivateFile } from "../../files/private-file.js";
import { replaceFile } from "../../files/replace-file.js";
import type { Context } from "../../input/context.js";
import { getDataIdPath, getStackDataFolder } from "../../profiles/folder-stack.js";
import {
  findProfile,
  isDevRunning,
  readDevLiveness,
  removeProfiles,
  type StoredProfiles,
} from "../../profiles/profile.js";
import { getProfilesPath } from "../../profiles/read-profiles.js";
import { updateProfiles } from "../../profiles/update-profiles.js";

/** A folder whose service this process may run. */
export interface ClaimedFolder {
  readonly folder: string;
  /** `.mgmt/dev` in it. */
  readonly dataDir: string;
  readonly dataId: string;
  /** The profile of its service. */
  readonly profileName: string;
}

const gitignoreName = ".gitignore";

/**
 * Prepares a folder for `mgmt dev --here`: makes `.mgmt/dev`, which git ignores, and stores in a profile that this process runs its service.
 * Data is used only if a profile has its id: Postgres would run commands in the configuration of data that came with a repository.
 *
 * @param folder without symbolic links in its path.
 * @throws `dev:folder_in_use` if its service runs; `dev:foreign_data`; `dev:folder_unusable`; errors of the profiles file.
 */
export const claimFolder = async (folder: string, { env }: Pick<Context, "env">): Promise<ClaimedFolder> => {
  const dataDir = getStackDataFolder(folder);
  const profileName = formatProfileName(folder);
  let dataId: string;
  try {
    // The platform would refuse the data directory, but only after it and its profile are made.
    const risk = await findReplacementRisk(folder);
    if (risk !== undefined) throw new Error(risk);
    const existingId = await prepareDataFolder(folder, dataDir);
    dataId = existingId ?? randomBytes(24).toString("base64url");
    const claim = (storedProfiles: StoredProfiles): StoredProfiles => {
      const profile = findProfile(storedProfiles, profileName);
      if (profile && isDevRunning(profile))
        throw folderInUseError(folder, profile.controlUrl && profile.baseUrl, profile.process?.pid);
      const isOwnData = Object.values(storedProfiles.profiles).some((other) => other.dataId === existingId);
      if (existingId !== undefined && !isOwnData) throw foreignStackDataError(dataDir);
      const { profiles, ...otherFields } = removeOutdatedProfiles(storedProfiles, dataId);
      // An earlier profile is about data that no longer exists.
      const previousProfile = existingId === undefined ? undefined : profile;
      const claimedProfile = {
        ...(previousProfile ?? { baseUrl: "http://127.0.0.1" }),
        ...{ folder, dataId, process: createProcessViewWithPs().self, startedAt: new Date().toISOString() },
      };
      return { ...otherFields, profiles: { ...profiles, [profileName]: claimedProfile } };
    };
    await updateProfiles(getProfilesPath(env), claim);
    // The profile is first: data with an id that no profile has cannot be used.
    await writeOwnFile(getDataIdPath(dataDir), dataId, folder);
  } catch (error) {
    throw error instanceof CliError ? error : unusableFolderError(dataDir, error);
  }
  return { folder, dataDir, dataId, profileName };
};

/** Removes the claim when the service has stopped, or did not start. The id of the data stays, and so does the URL for an error message. */
export const releaseClaim = async (
  { profileName }: Pick<ClaimedFolder, "profileName">,
  { env }: Pick<Context, "env">,
): Promise<void> => {
  const removeClaim = (storedProfiles: StoredProfiles): StoredProfiles => {
    const profile = findProfile(storedProfiles, profileName);
    if (!profile || !isDeepStrictEqual(profile.process, createProcessViewWithPs().self))
      return storedProfiles;
    const { process: _, ...stoppedProfile } = profile;
    return { ...storedProfiles, profiles: { ...storedProfiles.profiles, [profileName]: stoppedProfile } };
  };
  // If this fails, the process is known to have exited by its identity.
  await updateProfiles(getProfilesPath(env), removeClaim).catch(() => undefined);
};

/** Returns a name that no other folder has, and that identifies the folder. */
const formatProfileName = (folder: string): string => {
  const name = basename(folder)
    .replaceAll(/[^\w.-]+/g, "-")
    .slice(0, 40);
  return `here-${name}-${createHash("sha256").update(folder).digest("hex").slice(0, 8)}`;
};

/**
 * Makes the data directory for this user only. Follows no symbolic link below the folder.
 *
 * @returns the id of the data in it; undefined if it has none. An empty text is not an id of this command.
 */
const prepareDataFolder = async (folder: string, dataDir: string): Promise<string | undefined> => {
  // If this process runs as root, the account that runs Postgres must be able to enter the data directory.
  const mode = process.geteuid?.() === 0 ? 0o711 : 0o700;
  for (const path of [join(folder, ".mgmt"), dataDir]) {
    const pinnedFolder = await openPinnedFolder(path, folder, { shouldCreate: true });
    try {
      const ownPath = pinnedFolder.buildPath(".");
      const stats = await stat(ownPath);
      if (process.geteuid && stats.uid !== process.geteuid())
        throw new Error(`${path} belongs to another account, with the user id ${String(stats.uid)}`);
      const missingMode = mode & ~stats.mode;
      if (path === dataDir || missingMode !== 0)
        await chmod(ownPath, path === dataDir ? mode : (stats.mode & 0o777) | mode);
    } finally {
      await pinnedFolder.close();
    }
  }
  const names = await readdir(dataDir);
  await writeOwnFile(join(dataDir, gitignoreName), "*\n", folder);
  const hasData = names.some(
    (name) => !name.startsWith(gitignoreName) && !name.startsWith(basename(getDataIdPath(dataDir))),
  );
  return (await readPrivateFile(getDataIdPath(dataDir))) ?? (hasData ? "" : undefined);
};

const writeOwnFile = async (path: string, text: string, folder: string): Promise<void> => {
  await replaceFile(path, { root: folder, mode: 0o600 }, () => Buffer.from(text));
};

/** How long the id of data that is no longer in its folder is remembered, in milliseconds: a folder that was moved may be used again. */
const movedDataMs = 90 * 24 * 3_600_000;

/** Removes the profiles of folders from which this data was moved away, and of those without data for a long time. */
const removeOutdatedProfiles = (storedProfiles: StoredProfiles, dataId: string): StoredProfiles => {
  const names = Object.entries(storedProfiles.profiles)
    .filter(
      ([, { folder, startedAt = "", ...profile }]) =>
        folder !== undefined &&
        (profile.dataId === dataId || !(Date.now() - Date.parse(startedAt) < movedDataMs)) &&
        readDevLiveness(profile) === "dead" &&
        !existsSync(getStackDataFolder(folder)),
    )
    .map(([name]) => name);
  return names.length === 0 ? storedProfiles : removeProfiles(storedProfiles, names);
};
