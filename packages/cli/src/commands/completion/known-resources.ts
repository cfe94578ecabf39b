import { createHash } from "node:crypto";
import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "@mgmt/internal/files/make-directory";
import type { Context, GlobalFlags } from "../../input/context.js";
import { isObject, getAtPath } from "../../json/json-path.js";
import type { NamedKind } from "../../contract/id-form.js";
import { chooseExistingProfile } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { getProfilesPath } from "../../profiles/read-profiles.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import { createListCall, readResourceName } from "../../contract/list-call.js";
import { connect } from "../../service/connect.js";

/** How long completion waits for the service. */
export interface CompletionDeadline {
  /** Aborted when it is over. */
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

interface CacheEntry {
  readonly at: number;
  readonly values: readonly string[];
  /** When the service last responded too slowly. */
  readonly slowAt?: number;
}

/**
 * Returns names and ids of resources: from the service if it responds quickly, else those it returned last. A service that
 * responds slowly is asked again in the background. A completion never fails, so every error results in fewer candidates.
 */
export const listKnownResources = async (
  kind: NamedKind,
  flags: GlobalFlags,
  context: Context,
  deadline: CompletionDeadline,
): Promise<readonly string[]> => {
  try {
    const { baseUrl, identity } = await resolveAccess(flags, context);
    if (!baseUrl || !identity) return [];
    const projectId = findDefault("projectId", flags, context, () =>
      chooseExistingProfile(flags, context),
    )?.value;
    const cacheScope = JSON.stringify([baseUrl.value, identity.value, kind, projectId]);
    const cacheKey = createHash("sha256").update(cacheScope).digest("hex");
    const path = join(dirname(getProfilesPath(context.env)), "completion.json");
    const cachedEntry = readCache(path)[cacheKey];
    if (cachedEntry && Date.now() - cachedEntry.at < cacheTtlMs) return cachedEntry.values;
    const { startRefresh, signal } = deadline;
    const wasRecentlySlow =
      cachedEntry?.slowAt !== undefined && Date.now() - cachedEntry.slowAt < slowRetryDelayMs;
    if (startRefresh && wasRecentlySlow) return cachedEntry.values;
    const values = await fetchResourceNames(kind, projectId, signal, flags, context).catch(() => undefined);
    if (values) {
      writeCacheEntry(path, cacheKey, { at: Date.now(), values });
      return values;
    }
    if (startRefresh && signal.aborted) {
      writeCacheEntry(path, cacheKey, { at: 0, values: [], ...cachedEntry, slowAt: Date.now() });
      await startRefresh();
    }
    return cachedEntry?.values ?? [];
  } catch {
    return [];
  }
};

/** Returns the names and ids of the first page. */
const fetchResourceNames = async (
  kind: NamedKind,
  projectId: string | undefined,
  timeoutSignal: AbortSignal,
  flags: GlobalFlags,
  context: Context,
): Promise<string[]> => {
  const client = await connect(flags, context);
  const signal = AbortSignal.any([context.signal, timeoutSignal]);
  const needsProject = kind === "branch" || kind === "app";
  if (needsProject && projectId === undefined) return [];
  const parents = needsProject && projectId !== undefined ? { project: projectId } : {};
  const { data } = await client.requestPages(createListCall(kind, parents, pageSize), {
    signal,
    // A shell does not wait for a service that is stopped.
    maxRetries: 0,
  });
  const resources = data.filter(isObject);
  const names = resources
    .map((resource) => formatCompletionName(kind, resource))
    .filter((name) => /^[\p{L}\p{N}@._/-]+$/u.test(name));
  return [...new Set([...names, ...resources.map(({ id }) => String(id))])];
};

/** Returns the name as commands accept it: `shop/reports` for a database. */
const formatCompletionName = (kind: NamedKind, resource: Readonly<Record<string, unknown>>): string => {
  const resourceName = readResourceName(resource) ?? "";
  if (kind === "branch") return resourceName === "" ? "" : `@${resourceName}`;
  const projectName = getAtPath(resource, ["project", "name"]);
  return kind === "database" && typeof projectName === "string"
    ? `${projectName}/${resourceName}`
    : resourceName;
};

const readCache = (path: string): Readonly<Record<string, CacheEntry>> => {
  try {
    const cache: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isObject(cache)) return {};
    return Object.fromEntries(
      Object.entries(cache).flatMap(([key, entry]) => (isCacheEntry(entry) ? [[key, entry]] : [])),
    );
  } catch {
    return {};
  }
};

const isCacheEntry = (value: unknown): value is CacheEntry =>
  isObject(value) &&
  typeof value["at"] === "number" &&
  (value["slowAt"] === undefined || typeof value["slowAt"] === "number") &&
  Array.isArray(value["values"]) &&
  value["values"].every((entry) => typeof entry === "string");

/** Maximum number of entries. A machine uses few services, and few projects at once. */
const maxEntries = 50;

/** Stores an entry, unless the folder is read-only or the disk is full. */
const writeCacheEntry = (path: string, key: string, entry: CacheEntry): void => {
  const newestEntries = Object.entries({ ...readCache(path), [key]: entry })
    .sort(([, left], [, right]) => right.at - left.at)
    .slice(0, maxEntries);
  const temporaryPath = `${path}.${randomUUID()}.part`;
  try {
    makeDirectory(dirname(path));
    writeFileSync(temporaryPath, JSON.stringify(Object.fromEntries(newestEntries)), {
      mode: 0o600,
      flag: "wx",
    });
    renameSync(temporaryPath, path);
  } catch {
    // The service is asked again the next time.
  }
};
