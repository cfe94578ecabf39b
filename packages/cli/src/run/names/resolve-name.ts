import type { CliError } from "../../errors/cli-error.js";
import { ambiguousName, isUnknownName, unknownName } from "../../errors/name-errors.js";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { similar } from "../../text/suggest.js";
import type { NamedKind } from "../../contract/id-form.js";
import { type Item, listed, type ListScope } from "./listed.js";

export interface NameScope extends ListScope {
  /** The id or name of the project of names without one. */
  readonly defaultProject: () => string | undefined;
  /** The field of a body that has the name. Errors then do not repeat its text, which may be a secret in the wrong field. */
  readonly field?: string | undefined;
  /** Asks for the project of a branch whose name says none, or refuses to. Default: the text is an id. */
  readonly chooseProject?: (branch: string) => Promise<string>;
}

/** The resources that a name was compared with. */
interface Search {
  readonly matches: readonly Item[];
  /** The names that could have been meant, as they would be typed. */
  readonly names: readonly string[];
}

/**
 * Returns the id of the resource with a name, or undefined if the names are not known and the text may be an id. Names are
 * exact: display names, logical ids, and the Git names of branches.
 *
 * - `shop`: a project or workspace of that name
 * - `feature/x`, `@feature/x`, `shop/@feature/x`: a branch of the default project, or of the project `shop`
 * - `reports`, `shop/reports`, `shop/feature/x/reports`: a database, also of one project or branch
 * - `web`, `shop/web`, `shop/feature/x/web`: a service or app, also of one project or branch
 * - `app`, `shop/main/reports/app`: a connection, also of one database
 *
 * Names of databases and services without a project are those of the default project, if there is one. Names may contain any character, so
 * that every `/` can be part of one; a string that can be read as a full name is one.
 *
 * Throws `name:not_found` with the names that are similar, and `name:ambiguous` with the candidates if several resources have
 * the name.
 */
export const resolveName = async (
  kind: NamedKind,
  text: string,
  options: NameScope,
): Promise<string | undefined> => {
  const scope = { ...options, lists: options.lists ?? new Map() };
  const search = await searchFor(kind, text, scope);
  const matches = search?.matches ?? [];
  if (matches.length > 1) throw await ambiguous(kind, text, matches, scope);
  const id = matches[0]?.["id"];
  if (typeof id === "string") return id;
  if (search || /[/@]/.test(text))
    throw unknownName(kind, text, similar(text, search?.names ?? []), scope.field);
  return undefined;
};

const ambiguous = async (
  kind: NamedKind,
  text: string,
  matches: readonly Item[],
  scope: NameScope,
): Promise<Error> => {
  const { candidatesOf } = await import("./qualified-names.js");
  return ambiguousName(kind, text, await candidatesOf(kind, matches, scope));
};

const searchFor = async (kind: NamedKind, text: string, scope: NameScope): Promise<Search | undefined> => {
  switch (kind) {
    case "project":
    case "workspace":
      return searchIn(kind, await listed(kind, {}, scope), text);
    case "branch":
      return branches(text, scope);
    case "database":
    case "app":
      return inBranches(kind, text, scope);
    case "connection":
      return connections(text, scope);
  }
};

const branches = async (text: string, scope: NameScope): Promise<Search | undefined> => {
  const own = text.startsWith("@") ? "@" : "";
  const inProject = (project: string, prefix: string): Promise<Search | undefined> =>
    branchesOf(project, text, prefix, scope);
  const inDefault = async (): Promise<Search | undefined> => {
    const project = await defaultProject(scope);
    return project === undefined ? undefined : inProject(project, own);
  };
  if (own === "" && text.includes("@")) {
    const named = await inProjects(text, /\/@?|@/g, scope, inProject);
    if (isFound(named)) return named;
    const ofDefault = await inDefault().catch(ifUnknown);
    if (isFound(ofDefault) || named) return isFound(ofDefault) ? ofDefault : named;
    await projectNamed(text.split(/[/@]/)[0] ?? "", scope);
    return undefined;
  }
  // `feature/x` is a branch of the default project, or the branch `x` of the project `feature`.
  const ofDefault = await inDefault();
  if (isFound(ofDefault)) return ofDefault;
  const named = own === "" ? await inProjects(text, /\//g, scope, inProject) : undefined;
  if (named || ofDefault || !scope.chooseProject) return named ?? ofDefault;
  return inProject(await scope.chooseProject(text), own);
};

const isFound = (search: Search | undefined): boolean => search !== undefined && search.matches.length > 0;

/**
 * Searches in each project whose name is before one of the separators in a string. Returns undefined if there is none. Throws
 * `name:ambiguous` if several projects have that name.
 */
const inProjects = async (
  text: string,
  separators: RegExp,
  scope: NameScope,
  search: (project: string, prefix: string) => Promise<Search | undefined>,
): Promise<Search | undefined> => {
  const searches: Search[] = [];
  for (const { index, 0: separator } of text.matchAll(separators)) {
    const name = text.slice(0, index);
    const named = matching("project", (await listed("project", {}, scope)) ?? [], name);
    if (named.length > 1) throw await ambiguous("project", name, named, scope);
    const id = named[0]?.["id"];
    const result =
      typeof id === "string" ? await search(id, text.slice(0, index + separator.length)) : undefined;
    if (result) searches.push(result);
  }
  return searches.length === 0 ? undefined : merged(searches);
};

const merged = (searches: readonly Search[]): Search => ({
  matches: [...new Set(searches.flatMap(({ matches }) => matches))],
  names: searches.flatMap(({ names }) => names),
});

/** @param prefix the part of the text before the name of the branch. */
const branchesOf = async (
  project: string,
  text: string,
  prefix: string,
  scope: NameScope,
): Promise<Search | undefined> =>
  searchIn("branch", await listed("branch", { project }, scope), text.slice(prefix.length), prefix);

const ifUnknown = (error: unknown): undefined => {
  if (isUnknownName(error)) return undefined;
  throw error;
};

/** Searches databases or services: `NAME`, `PROJECT/NAME`, or `PROJECT/BRANCH/NAME`. */
const inBranches = async (
  kind: "database" | "app",
  text: string,
  scope: NameScope,
): Promise<Search | undefined> => {
  const inDefault = async (): Promise<Search | undefined> => {
    const project = await defaultProject(scope);
    return searchIn(kind, await listed(kind, project === undefined ? {} : { project }, scope), text);
  };
  if (!text.includes("/")) return inDefault();
  const inProject = (project: string, prefix: string): Promise<Search | undefined> =>
    inBranchesOf(project, kind, text, prefix, scope);
  const named = await inProjects(text, /\//g, scope, inProject);
  if (isFound(named)) return named;
  const ofDefault = await inDefault().catch(ifUnknown);
  if (isFound(ofDefault) || named) return isFound(ofDefault) ? ofDefault : named;
  await projectNamed(text.split("/")[0] ?? "", scope);
  return undefined;
};

/** @param prefix the part of the text that names the project. */
const inBranchesOf = async (
  project: string,
  kind: "database" | "app",
  text: string,
  prefix: string,
  scope: NameScope,
): Promise<Search | undefined> => {
  const items = await listed(kind, { project }, scope);
  const name = text.slice(prefix.length);
  const inAll = searchIn(kind, items, name, prefix);
  if (!items || !inAll || !name.includes("/")) return inAll;
  const branches = (await listed("branch", { project }, scope)) ?? [];
  const inEach = [...name.matchAll(/\//g)].flatMap(({ index }) => {
    const inBranch = matching("branch", branches, name.slice(0, index).replace(/^@/, ""));
    const onBranch = items.filter(({ branchId }) => inBranch.some(({ id }) => id === branchId));
    const end = prefix.length + index + 1;
    return searchIn(kind, onBranch, text.slice(end), text.slice(0, end)) ?? [];
  });
  return merged([{ ...inAll, names: [] }, ...inEach]);
};

/** Searches connections: `NAME`, or `DATABASE/NAME` with the name of the database in any of its forms. */
const connections = async (text: string, scope: NameScope): Promise<Search | undefined> => {
  const searches: (() => Promise<Search | undefined>)[] = [...text.matchAll(/\//g)].reverse().map(
    ({ index }) =>
      () =>
        connectionsOf(text, index, scope),
  );
  searches.push(async () => searchIn("connection", await listed("connection", {}, scope), text));
  let first: Search | undefined;
  let problem: CliError | undefined;
  for (const search of searches) {
    try {
      const result = await search();
      if (isFound(result)) return result;
      first ??= result;
    } catch (error) {
      if (!isUnknownName(error)) throw error;
      problem ??= error;
    }
  }
  if (problem) throw problem;
  return first;
};

/** @param slash where the name of the database ends. */
const connectionsOf = async (text: string, slash: number, scope: NameScope): Promise<Search | undefined> => {
  const databases = (await inBranches("database", text.slice(0, slash), scope))?.matches ?? [];
  const lists = await Promise.all(
    databases.map(({ id }) => listed("connection", { database: String(id) }, scope)),
  );
  const items = lists.flatMap((list) => list ?? []);
  return searchIn("connection", items, text.slice(slash + 1), text.slice(0, slash + 1));
};

const defaultProject = async (scope: NameScope): Promise<string | undefined> => {
  const text = scope.defaultProject();
  return text === undefined ? undefined : ((await projectNamed(text, scope, true)) ?? text);
};

/**
 * Returns the id of a project by name or id. Throws `name:ambiguous`, and `name:not_found` unless the text may be the id of a
 * project that cannot be listed.
 */
const projectNamed = async (text: string, scope: NameScope, mayBeId = false): Promise<string | undefined> => {
  if (mayBeId && text.startsWith(idPrefixes.project)) return text;
  return resolveName("project", text, scope);
};

const namesOf = (item: Item): string[] =>
  [item["name"], item["gitName"], item["displayName"], item["logicalId"]].filter(
    (name): name is string => typeof name === "string",
  );

/** @param prefix the input before the name, which the similar names get as well. */
const searchIn = (
  kind: NamedKind,
  items: readonly Item[] | undefined,
  name: string,
  prefix = "",
): Search | undefined =>
  items && {
    matches: matching(kind, items, name),
    names: items.flatMap(namesOf).map((name) => `${prefix}${name}`),
  };

/** Returns the resources with a name, or with an id that may lack its prefix. */
const matching = (kind: NamedKind, items: readonly Item[], name: string): Item[] =>
  items.filter(
    (item) =>
      [name, `${idPrefixes[kind]}${name}`].includes(String(item["id"])) || namesOf(item).includes(name),
  );
