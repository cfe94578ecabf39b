import { ambiguousName, isUnknownName, unknownName } from "../errors/name-errors.js";
import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { similar } from "../text/suggest.js";
import type { NamedKind } from "../contract/id-form.js";
import { type Item, listed, type ListScope } from "./listed.js";

export interface NameScope extends ListScope {
  /** The id or name of the project of names without one. */
  readonly defaultProject: () => string | undefined;
  /** The field of a body that has the name. Errors then do not repeat its text, which may be a secret in the wrong field. */
  readonly field?: string | undefined;
  /** Asks for the project of a branch whose name says none, or refuses to. Default: the text is an id. */
  readonly chooseProject?: (branch: string) => Promise<string>;
}

/** What a name was compared with. */
interface Search {
  readonly found: readonly Item[];
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
 * Names of databases and services without a project are those of the default project, if there is one.
 *
 * Throws `name:not_found` with the names that are similar, and `name:ambiguous` with the candidates if several resources have
 * the name.
 */
export const resolveName = async (
  kind: NamedKind,
  text: string,
  scope: NameScope,
): Promise<string | undefined> => {
  const search = await searchFor(kind, text, scope);
  const found = search?.found ?? [];
  if (found.length > 1) {
    const { candidatesOf } = await import("./qualified-names.js");
    throw ambiguousName(kind, text, await candidatesOf(kind, found, scope));
  }
  const id = found[0]?.["id"];
  if (typeof id === "string") return id;
  if (search || /[/@]/.test(text))
    throw unknownName(kind, text, similar(text, search?.names ?? []), scope.field);
  return undefined;
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
  const [prefix = "", projectText] = /^(?:([^/@]+)(?:\/@?|@)|@)/.exec(text) ?? [];
  if (projectText !== undefined && text.includes("@")) {
    const project = await projectNamed(projectText, scope);
    return project === undefined ? undefined : branchesOf(project, text, prefix, scope);
  }
  // `feature/x` is a branch of the default project, or the branch `x` of the project `feature`.
  const own = prefix === "@" ? "@" : "";
  const ofDefault = await defaultProject(scope);
  const inDefault = ofDefault === undefined ? undefined : await branchesOf(ofDefault, text, own, scope);
  if (inDefault && (projectText === undefined || inDefault.found.length > 0)) return inDefault;
  const project =
    projectText === undefined ? undefined : await projectNamed(projectText, scope).catch(ifUnknown);
  if (project !== undefined) return branchesOf(project, text, prefix, scope);
  if (inDefault || !scope.chooseProject) return inDefault;
  return branchesOf(await scope.chooseProject(text), text, own, scope);
};

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
  const parts = text.split("/");
  const [first = ""] = parts;
  if (parts.length === 1) {
    const project = await defaultProject(scope);
    return searchIn(kind, await listed(kind, project === undefined ? {} : { project }, scope), text);
  }
  const project = await projectNamed(first, scope);
  if (project === undefined) return undefined;
  const items = await listed(kind, { project }, scope);
  const prefix = text.slice(0, text.lastIndexOf("/") + 1);
  const branchName = parts.slice(1, -1).join("/").replace(/^@/, "");
  if (branchName === "") return searchIn(kind, items, parts.at(-1) ?? "", prefix);
  const inBranch = matching("branch", (await listed("branch", { project }, scope)) ?? [], branchName);
  const onBranch = items?.filter(({ branchId }) => inBranch.some(({ id }) => id === branchId));
  return searchIn(kind, onBranch, parts.at(-1) ?? "", prefix);
};

/** Searches connections: `NAME`, or `DATABASE/NAME` with the name of the database in any of its forms. */
const connections = async (text: string, scope: NameScope): Promise<Search | undefined> => {
  const slash = text.lastIndexOf("/");
  if (slash < 0) return searchIn("connection", await listed("connection", {}, scope), text);
  const found = (await inBranches("database", text.slice(0, slash), scope))?.found ?? [];
  const lists = await Promise.all(
    found.map(({ id }) => listed("connection", { database: String(id) }, scope)),
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

/** @param prefix what was typed before the name, which the similar names get as well. */
const searchIn = (
  kind: NamedKind,
  items: readonly Item[] | undefined,
  name: string,
  prefix = "",
): Search | undefined =>
  items && {
    found: matching(kind, items, name),
    names: items.flatMap(namesOf).map((each) => `${prefix}${each}`),
  };

/** Returns the resources with a name, or with an id that may lack its prefix. */
const matching = (kind: NamedKind, items: readonly Item[], name: string): Item[] =>
  items.filter(
    (item) =>
      [name, `${idPrefixes[kind]}${name}`].includes(String(item["id"])) || namesOf(item).includes(name),
  );
