import type { Context } from "../../input/context.js";
import { isServiceGenuine } from "../../credentials/dev-service-proof.js";
import { isDevProfile, readDevLiveness, type Profile } from "../../profiles/profile.js";
import { getProfilesPath, readProfiles } from "../../profiles/read-profiles.js";
import { stripUrlCredentials } from "../../text/strip-url-credentials.js";

/** A `mgmt dev` that runs, as `mgmt dev list` and `mgmt dev stop` print it. */
export interface RunningService {
  /** The folder whose commands use it; null if the service does not belong to a folder. */
  readonly folder: string | null;
  /** URL of the service; null while it starts for the first time. */
  readonly address: string | null;
  /** Process id. */
  readonly pid: number;
  /** When it started. ISO 8601; null if an earlier version of this command did not record it. */
  readonly since: string | null;
  /** The profile with which commands elsewhere use it. */
  readonly profile: string;
}

/** Such a `mgmt dev`, and its profile. */
export interface ServiceEntry {
  readonly service: RunningService;
  readonly profile: Profile;
}

/**
 * Returns the `mgmt dev` of this user that run. One whose process cannot be seen from here, such as one in another container, runs if it
 * responds with the proof that its profile needs.
 */
export const listRunningServices = async (
  context: Pick<Context, "env" | "output" | "signal">,
): Promise<ServiceEntry[]> => {
  const { profiles } = readProfiles(getProfilesPath(context.env));
  const entries = await Promise.all(
    Object.entries(profiles).map(async ([name, profile]): Promise<ServiceEntry[]> => {
      const liveness = readDevLiveness(profile);
      const isRunning =
        liveness === "alive" || (liveness === "unknown" && (await isServiceGenuine(profile, context)));
      if (!isRunning || profile.process === undefined) return [];
      const { folder = null, startedAt = null, baseUrl, process } = profile;
      const address = isDevProfile(profile) ? stripUrlCredentials(baseUrl) : null;
      return [{ profile, service: { folder, address, pid: process.pid, since: startedAt, profile: name } }];
    }),
  );
  return entries.flat().sort((left, right) => compareFolders(left.service.folder, right.service.folder));
};

/** Orders folders by name, after the service that does not belong to a folder. */
const compareFolders = (left: string | null, right: string | null): number => {
  if (left === right) return 0;
  return (left ?? "") < (right ?? "") ? -1 : 1;
};
