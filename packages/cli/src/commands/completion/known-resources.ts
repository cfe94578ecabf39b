import { createHash } from "node:crypto";
import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "@mgmt/internal/files/make-directory";
import type { Context, GlobalFlags } from "../../input/context.js";
import { isObject, valueAt } from "../../json/json-path.js";
import type { NamedKind } from "../../contract/id-form.js";
import { activeProfile } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { profilesFile } from "../../profiles/read-profiles.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import { listCall, nameOfItem } from "../../contract/list.js";
import { connect } from "../../service/connect.js";

/** How long completion waits for the service. */
export interface Patience {
  /** Aborted when it is over. */
  readonly signal: AbortSignal;
  /** Asks the service in the background, for the next time. Absent if that cannot be done. */
  readonly refresh?: (() => Promise<void>) | undefined;
}

/** How long candidates are used without asking the service again. */
const freshMs = 60_000;

/** How long to wait before a service that was too slow is asked again. */
const retryMs = 10_000;

/** Candidates are the first page of a list. */
const pageSize = 100;

interface Entry {
  readonly at: number;
  readonly values: readonly string[];
  /** When the service last responded too slowly. */
  readonly slowAt?: number;
}

/**
 * Returns names and ids of resources: from the service if it responds quickly, else those it returned last. A service that
 * responds slowly is asked again in the background. A completion never fails, so every error results in fewer candidates.
 */
export const knownResources = async (
  kind: NamedKind,
  flags: GlobalFlags,
  context: Context,
  patience: Patience,
): Promise<readonly string[]> => {
  try {
    const { baseUrl, identity } = await resolveAccess(flags, context);
    if (!baseUrl || !identity) return [];
    const projectId = findDefault("projectId", flags, context, () => activeProfile(flags, context))?.value;
    const source = JSON.stringify([baseUrl.value, identity.value, kind, projectId]);
    const key = createHash("sha256").update(source).digest("hex");
    const file = join(dirname(profilesFile(context.env)), "completion.json");
    const cached = readCache(file)[key];
    if (cached && Date.now() - cached.at < freshMs) return cached.values;
    const { refresh, signal } = patience;
    const isSlow = cached?.slowAt !== undefined && Date.now() - cached.slowAt < retryMs;
    if (refresh && isSlow) return cached.values;
    const values = await listed(kind, projectId, signal, flags, context).catch(() => undefined);
    if (values) {
      store(file, key, { at: Date.now(), values });
      return values;
    }
    if (refresh && signal.aborted) {
      store(file, key, { at: 0, values: [], ...cached, slowAt: Date.now() });
      await refresh();
    }
    return cached?.values ?? [];
  } catch {
    return [];
  }
};

/** Returns the names and ids of the first page. */
const listed = async (
  kind: NamedKind,
  projectId: string | undefined,
  patience: AbortSignal,
  flags: GlobalFlags,
  context: Context,
): Promise<string[]> => {
  const client = await connect(flags, context);
  const signal = AbortSignal.any([context.signal, patience]);
  const isInProject = kind === "branch" || kind === "app";
  if (isInProject && projectId === undefined) return [];
  const parents = isInProject && projectId !== undefined ? { project: projectId } : {};
  const { data } = await client.requestPages(listCall(kind, parents, pageSize), {
    signal,
    // A shell does not wait for a service that is stopped.
    maxRetries: 0,
  });
  const items = data.filter(isObject);
  const names = items.map((item) => nameOf(kind, item)).filter((name) => /^[\p{L}\p{N}@._/-]+$/u.test(name));
  return [...new Set([...names, ...items.map(({ id }) => String(id))])];
};

/** Returns the name as commands accept it: `shop/reports` for a database. */
const nameOf = (kind: NamedKind, item: Readonly<Record<string, unknown>>): string => {
  const own = nameOfItem(item) ?? "";
  if (kind === "branch") return own === "" ? "" : `@${own}`;
  const projectName = valueAt(item, ["project", "name"]);
  return kind === "database" && typeof projectName === "string" ? `${projectName}/${own}` : own;
};

const readCache = (file: string): Readonly<Record<string, Entry>> => {
  try {
    const cache: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(cache)) return {};
    return Object.fromEntries(
      Object.entries(cache).flatMap(([key, entry]) => (isEntry(entry) ? [[key, entry]] : [])),
    );
  } catch {
    return {};
  }
};

const isEntry = (value: unknown): value is Entry =>
  isObject(value) &&
  typeof value["at"] === "number" &&
  (value["slowAt"] === undefined || typeof value["slowAt"] === "number") &&
  Array.isArray(value["values"]) &&
  value["values"].every((entry) => typeof entry === "string");

/** Maximum number of entries. A machine uses few services, and few projects at once. */
const maximumEntries = 50;

/** Stores an entry, unless the folder is read-only or the disk is full. */
const store = (file: string, key: string, entry: Entry): void => {
  const newest = Object.entries({ ...readCache(file), [key]: entry })
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, maximumEntries);
  const temporary = `${file}.${randomUUID()}.part`;
  try {
    makeDirectory(dirname(file));
    writeFileSync(temporary, JSON.stringify(Object.fromEntries(newest)), { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } catch {
    // The service is asked again the next time.
  }
};
