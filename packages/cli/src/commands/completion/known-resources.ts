import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context, GlobalFlags } from "../../context.js";
import { isObject, valueAt } from "../../json-path.js";
import type { NamedKind } from "../../names/id-form.js";
import { activeProfile } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { profilesFile } from "../../profiles/read-profiles.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import { listCall, nameOfItem } from "../../resources/list.js";
import { connect } from "../../service/connect.js";

/** How long a shell may wait for the service. */
const patienceMs = 200;

/** How long candidates are used without asking the service again. */
const freshMs = 60_000;

/** Candidates are the first page of a list. */
const pageSize = 100;

interface Entry {
  readonly at: number;
  readonly values: readonly string[];
}

/**
 * Returns names and ids of resources: from the service if it responds quickly, else those it returned last. A completion
 * never fails, so every error results in fewer candidates.
 */
export const knownResources = async (
  kind: NamedKind,
  flags: GlobalFlags,
  context: Context,
): Promise<readonly string[]> => {
  try {
    const { baseUrl, identity } = await resolveAccess(flags, context);
    if (!baseUrl || !identity) return [];
    const projectId = findDefault("projectId", flags, context, () => activeProfile(flags, context))?.value;
    const source = JSON.stringify([baseUrl.value, identity.value, kind, projectId]);
    const key = createHash("sha256").update(source).digest("hex");
    const file = join(dirname(profilesFile(context.env)), "completion.json");
    const cache = await readCache(file);
    const cached = cache[key];
    if (cached && Date.now() - cached.at < freshMs) return cached.values;
    const values = await listed(kind, projectId, flags, context).catch(() => undefined);
    if (!values) return cached?.values ?? [];
    await writeCache(file, { ...cache, [key]: { at: Date.now(), values } }).catch(() => undefined);
    return values;
  } catch {
    return [];
  }
};

/** Returns the names and ids of the first page. */
const listed = async (
  kind: NamedKind,
  projectId: string | undefined,
  flags: GlobalFlags,
  context: Context,
): Promise<string[]> => {
  const client = await connect(flags, context);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(patienceMs)]);
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

const readCache = async (file: string): Promise<Readonly<Record<string, Entry>>> => {
  try {
    const cache: unknown = JSON.parse(await readFile(file, "utf8"));
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
  Array.isArray(value["values"]) &&
  value["values"].every((each) => typeof each === "string");

/** Entries that are kept: a machine has few services, and few projects are worked on at once. */
const maximumEntries = 50;

const writeCache = async (file: string, cache: Readonly<Record<string, Entry>>): Promise<void> => {
  const newest = Object.entries(cache)
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, maximumEntries);
  const temporary = `${file}.${process.pid}.part`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(temporary, JSON.stringify(Object.fromEntries(newest)), { mode: 0o600 });
  await rename(temporary, file);
};
