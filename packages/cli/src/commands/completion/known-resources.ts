import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { Context, GlobalFlags } from "../../input/context.js";
import { isObject, getAtPath } from "../../json/json-path.js";
import type { NameableType } from "../../contract/nameable-types.js";
import { selectExistingProfile } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { getProfilesPath } from "../../profiles/read-profiles.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import { createListCall, readResourceName } from "../../contract/list-call.js";
import { connect } from "../../service/connect.js";
import { readCache, writeCacheEntry } from "./completion-cache.js";

/** How long completion waits for the service. */
export interface CompletionDeadline {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Asks the service in the background, for the next time. Absent if that cannot be done. */
  readonly startRefresh?: (() => Promise<void>) | undefined;
}

/** How long candidates are used without asking the service again. */
const cacheTtlMs = 60_000;

/** How long to wait before a service that was too slow is asked again. */
const slowRetryDelayMs = 10_000;

/** Candidates are the first page of a list. */
const pageSize = 100;

/**
 * Returns names and ids of resources: from the service if it responds quickly, else those it returned last. A service that
 * responds slowly is asked again in the background. A completion never fails, so every error results in fewer candidates.
 */
export const listKnownResources = async (
  resourceType: NameableType,
  flags: GlobalFlags,
  context: Context,
  deadline: CompletionDeadline,
): Promise<readonly string[]> => {
  try {
    const { baseUrl, identity } = await resolveAccess(flags, context);
    if (!baseUrl || !identity) return [];
    const projectId = findDefault("projectId", flags, context, () =>
      selectExistingProfile(flags, context),
    )?.value;
    const cacheScope = JSON.stringify([baseUrl.value, identity.value, resourceType, projectId]);
    const cacheKey = createHash("sha256").update(cacheScope).digest("hex");
    const path = join(dirname(getProfilesPath(context.env)), "completion.json");
    const cachedEntry = readCache(path)[cacheKey];
    if (cachedEntry && Date.now() - cachedEntry.fetchedAt < cacheTtlMs) return cachedEntry.namesAndIds;
    const { startRefresh, signal } = deadline;
    const wasRecentlySlow =
      cachedEntry?.timedOutAt !== undefined && Date.now() - cachedEntry.timedOutAt < slowRetryDelayMs;
    if (startRefresh && wasRecentlySlow) return cachedEntry.namesAndIds;
    const namesAndIds = await fetchResourceNames(resourceType, projectId, signal, flags, context).catch(
      () => undefined,
    );
    if (namesAndIds) {
      writeCacheEntry(path, cacheKey, { fetchedAt: Date.now(), namesAndIds });
      return namesAndIds;
    }
    if (startRefresh && signal.aborted) {
      writeCacheEntry(path, cacheKey, {
        fetchedAt: 0,
        namesAndIds: [],
        ...cachedEntry,
        timedOutAt: Date.now(),
      });
      await startRefresh();
    }
    return cachedEntry?.namesAndIds ?? [];
  } catch {
    return [];
  }
};

/** Returns the names and ids of the first page. */
const fetchResourceNames = async (
  resourceType: NameableType,
  projectId: string | undefined,
  timeoutSignal: AbortSignal,
  flags: GlobalFlags,
  context: Context,
): Promise<string[]> => {
  const client = await connect(flags, context);
  const signal = AbortSignal.any([context.signal, timeoutSignal]);
  const needsProject = resourceType === "branch" || resourceType === "app";
  if (needsProject && projectId === undefined) return [];
  const parents = needsProject && projectId !== undefined ? { project: projectId } : {};
  const { data } = await client.requestPages(createListCall(resourceType, parents, pageSize), {
    signal,
    // A shell does not wait for a service that is stopped.
    maxRetries: 0,
  });
  const resources = data.filter(isObject);
  const names = resources
    .map((resource) => formatCompletionName(resourceType, resource))
    .filter((name) => /^[\p{L}\p{N}@._/-]+$/u.test(name));
  return [...new Set([...names, ...resources.map(({ id }) => String(id))])];
};

/** Returns the name as commands accept it: `shop/reports` for a database. */
const formatCompletionName = (
  resourceType: NameableType,
  resource: Readonly<Record<string, unknown>>,
): string => {
  const resourceName = readResourceName(resource) ?? "";
  if (resourceType === "branch") return resourceName === "" ? "" : `@${resourceName}`;
  const projectName = getAtPath(resource, ["project", "name"]);
  return resourceType === "database" && typeof projectName === "string"
    ? `${projectName}/${resourceName}`
    : resourceName;
};
