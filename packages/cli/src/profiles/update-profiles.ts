import { constants } from "node:fs";
import { access, chmod, mkdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { busyProfiles, unwritableProfiles } from "../errors.js";
import { type Profile, profileNamed, type Profiles } from "./profile.js";
import { readProfiles } from "./read-profiles.js";

/** Another process needs milliseconds for what it does under the lock. */
const patienceMs = 15_000;

/**
 * Replaces what the file holds by what `change` makes of it: as a whole, for this user alone (0600), and one process after
 * the other, so that none undoes what another has written. Throws for a file that holds something else or cannot be
 * written; it is left as it is.
 */
export const updateProfiles = async (
  file: string,
  change: (profiles: Profiles) => Profiles,
): Promise<Profiles> => {
  await assertWritable(file);
  return replace(file, change);
};

/**
 * The same for what is lost if it is not written now, where that was promised before: the file may have been marked read-only
 * since, and stays so.
 */
export const updateProfilesAsPromised = async (
  file: string,
  change: (profiles: Profiles) => Profiles,
): Promise<void> => {
  const marked = (await stat(file).catch(() => undefined))?.mode;
  await replace(file, change);
  if (marked !== undefined && (marked & constants.S_IWUSR) === 0) await chmod(file, marked & 0o777);
};

const replace = async (file: string, change: (profiles: Profiles) => Profiles): Promise<Profiles> => {
  const { withFileLock } = await import("../auth/sdk-auth.js");
  const signal = AbortSignal.timeout(patienceMs);
  const work = async (): Promise<Profiles> => {
    const next = change(readProfiles(file));
    await write(file, next);
    return next;
  };
  try {
    return await withFileLock(`${file}.lock`, work, { signal });
  } catch (error) {
    throw error === signal.reason ? busyProfiles(file) : error;
  }
};

/** Changes one profile, or makes it. */
export const updateProfile = (
  file: string,
  name: string,
  change: (profile: Profile | undefined) => Profile,
): Promise<Profiles> =>
  updateProfiles(file, (all) => ({
    ...all,
    profiles: { ...all.profiles, [name]: change(profileNamed(all, name)) },
  }));

/** Throws what writing would, and makes the folder. A file that is marked read-only is meant to stay as it is. */
export const assertWritable = async (file: string): Promise<void> => {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await access(dirname(file), constants.W_OK | constants.X_OK);
    const found = await stat(file).catch(() => undefined);
    if (found && (found.mode & constants.S_IWUSR) === 0) throw new Error("it is marked read-only");
  } catch (error) {
    throw unwritableProfiles(file, error);
  }
};

const write = async (file: string, profiles: Profiles): Promise<void> => {
  const Conf = await loadConf();
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(file),
      configName: basename(file, ".json"),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
    });
    conf.store = { ...profiles };
  } catch (error) {
    throw unwritableProfiles(file, error);
  }
};

/**
 * What `conf` writes with listens to every signal, and repeats it to end the process. `main` decides about that: a second
 * Ctrl-C would cut off what the first one lets end well.
 */
const loadConf = async (): Promise<typeof import("conf").default> => {
  const added: [event: string, listener: NodeJS.SignalsListener][] = [];
  const note = (event: string | symbol, listener: NodeJS.SignalsListener): void => {
    if (typeof event === "string" && event.startsWith("SIG")) added.push([event, listener]);
  };
  process.on("newListener", note);
  try {
    return (await import("conf")).default;
  } finally {
    process.off("newListener", note);
    for (const [event, listener] of added) process.off(event, listener);
  }
};
