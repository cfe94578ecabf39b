import type { CopyMethod } from "@mgmt/platform";
import type { Database, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { toGitProblem } from "../../git/run-git.js";
import { resolveIdOrName } from "../../run/names/resolve-id-or-name.js";
import { selectProfile } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { isDevRunning } from "../../profiles/profile.js";
import { countWaitingApprovals } from "./count-waiting-approvals.js";
import { selectPreviews } from "../../preview/preview.js";
import { requireGitBranch, type GitContext } from "../../git/repository.js";

/** A database of the project. */
export interface DatabaseStatus {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly isDefault: boolean;
  readonly region: string | null;
  /** Git name of its branch; null without one. */
  readonly branch: string | null;
  /** It is null if the service does not report it. */
  readonly sizeBytes: number | null;
  /** Number of connections that were created for it. */
  readonly connections: number;
}

/** What `mgmt status` prints. */
export interface StatusResult {
  /** URL of the service. */
  readonly service: string;
  /** It is null if commands use none here. */
  readonly profile: {
    readonly name: string;
    /** A flag, a variable, or a file. */
    readonly from: string;
  } | null;
  /** The file or the profile that protects what commands use here; null if nothing does. */
  readonly protectedBy: string | null;
  /** It is null if commands use no project here. */
  readonly project: {
    readonly id: string;
    readonly name: string;
    readonly region: string | null;
    /** A flag, a variable, a file, or a profile. */
    readonly from: string;
  } | null;
  readonly databases: readonly DatabaseStatus[];
  /** The preview of the git branch; null if it has none. */
  readonly preview: { readonly branch: string; readonly databaseId: string; readonly status: string } | null;
  /** Requests of agents that wait for an approval; null if the service is not one of `mgmt dev`. */
  readonly waitingApprovals: number | null;
  /** How the service copies large databases; null if it is not one of `mgmt dev` that runs on this machine. */
  readonly copyMethod: CopyMethod | null;
}

const bytesInGiB = 2 ** 30;

/** Returns the git branch, or undefined if none is known. */
const findGitBranch = async (gitContext: GitContext, context: Context): Promise<string | undefined> => {
  try {
    return await requireGitBranch(gitContext, context);
  } catch (error) {
    // Throws an error that git did not cause.
    toGitProblem(error, context);
    return undefined;
  }
};

/** Maximum number of concurrent requests for sizes. */
const maxConcurrentRequests = 8;

/** Asks the service for everything that the status shows. Throws `name:not_found` and errors of the service. */
export const gatherStatus = async (
  projectName: string | undefined,
  {
    client,
    ...access
  }: Pick<StatusResult, "service" | "profile" | "protectedBy"> & {
    readonly client: MgmtClient;
  },
  gitContext: GitContext | undefined,
  flags: GlobalFlags,
  context: Context,
): Promise<StatusResult> => {
  const { signal } = context;
  const selectedProject =
    projectName === undefined
      ? findDefault("projectId", flags, context)
      : { value: projectName, from: "--project-id" };
  const waitingApprovals = (await countWaitingApprovals(flags, context)) ?? null;
  const copyMethod = readCopyMethod(flags, context);
  if (!selectedProject)
    return { ...access, project: null, databases: [], preview: null, waitingApprovals, copyMethod };
  const projectId = await resolveIdOrName("project", selectedProject.value, client, flags, context);
  const [project, databases, branches] = await Promise.all([
    client.projects.get(projectId, { signal }),
    client.databases.list({ projectId }, { signal }).toArray(),
    client.projects.branches.list(projectId, undefined, { signal }).toArray(),
  ]);
  const branchNames = new Map(branches.map(({ id, gitName }) => [id, gitName]));
  const sizes = await fetchSizes(databases, client, signal);
  const gitBranch = gitContext && (await findGitBranch(gitContext, context));
  const preview = selectPreviews(databases).find(
    ({ database, repository }) =>
      branchNames.get(database.branchId ?? "") === gitBranch &&
      (repository === null || repository === gitContext?.repository?.key),
  );
  return {
    ...access,
    project: {
      id: project.id,
      name: project.name,
      region: project.defaultRegion,
      from: selectedProject.from,
    },
    databases: databases.map((database) => ({
      id: database.id,
      name: database.name,
      status: database.status,
      isDefault: database.isDefault,
      region: database.region?.id ?? null,
      branch: branchNames.get(database.branchId ?? "") ?? null,
      sizeBytes: sizes.get(database.id) ?? null,
      connections: database.connections.length,
    })),
    preview:
      preview && gitBranch !== undefined
        ? { branch: gitBranch, databaseId: preview.database.id, status: preview.database.status }
        : null,
    waitingApprovals,
    copyMethod,
  };
};

/** Returns how the Postgres of the running `mgmt dev` copies databases, which its profile has. Null for other services. */
const readCopyMethod = (flags: GlobalFlags, context: Context): StatusResult["copyMethod"] => {
  if (flags.baseUrl !== undefined || context.env["MGMT_BASE_URL"]) return null;
  const { profile } = selectProfile(flags, context);
  const copyMethod = profile && isDevRunning(profile) ? profile.copyMethod : undefined;
  return copyMethod === "clone" || copyMethod === "copy" ? copyMethod : null;
};

/** Returns the sizes in bytes. A service may not measure them. */
const fetchSizes = async (
  databases: readonly Database[],
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Map<string, number>> => {
  const sizes = new Map<string, number>();
  const queuedDatabases = databases.filter(({ status }) => status === "ready");
  const fetchQueuedSizes = async (): Promise<void> => {
    for (let database = queuedDatabases.shift(); database; database = queuedDatabases.shift()) {
      const { id } = database;
      try {
        const { metrics } = await client.databases.usage.get(id, undefined, { signal });
        sizes.set(id, Math.round(metrics.storage.used * bytesInGiB));
      } catch {
        signal.throwIfAborted();
      }
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentRequests }, fetchQueuedSizes));
  return sizes;
};
