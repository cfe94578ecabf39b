import type { MgmtClient } from "@mgmt/sdk";
import { ambiguousName, type Candidate, unknownName } from "../errors/name-errors.js";
import { isObject, valueAt } from "../json-path.js";
import { type KnownIds, listCall, nameOfItem } from "../resources/list.js";
import type { NamedKind } from "./id-form.js";

export interface NameScope {
  readonly client: MgmtClient;
  readonly signal: AbortSignal;
  /** The project of names without one. */
  readonly defaultProject: () => string | undefined;
}

type Item = Readonly<Record<string, unknown>>;

/**
 * Returns the id of the resource with a name, or undefined if no resource has it and it may be an id. Names are exact:
 * display names, logical ids, and the Git names of branches.
 *
 * - `shop`: a project, workspace or connection of that name
 * - `@feature/x`, `shop/@feature/x`: a branch of the default project, or of the project `shop`
 * - `reports`, `shop/reports`, `shop/feature/x/reports`: a database, also of one project or branch
 * - `web`, `shop/web`: a service or app of the default project, or of the project `shop`
 *
 * Throws `name:ambiguous` with the candidates if several resources have the name.
 */
export const resolveName = async (
  kind: NamedKind,
  text: string,
  scope: NameScope,
): Promise<string | undefined> => {
  const candidates = await candidatesFor(kind, text, scope);
  if (candidates.length > 1) throw ambiguousName(kind, text, candidates);
  const [only] = candidates;
  if (only) return only.id;
  if (/[/@]/.test(text)) throw unknownName(kind, text);
  return undefined;
};

const candidatesFor = async (kind: NamedKind, text: string, scope: NameScope): Promise<Candidate[]> => {
  switch (kind) {
    case "project":
    case "workspace":
    case "connection":
      return matching(await list(kind, {}, scope), text);
    case "branch":
      return branches(text, scope);
    case "database":
      return databases(text, scope);
    case "app":
      return inProject(kind, text, scope);
  }
};

/** Splits `PROJECT/REST` and lists in that project, or in the default project. */
const inProject = async (kind: NamedKind, text: string, scope: NameScope): Promise<Candidate[]> => {
  const slash = text.indexOf("/");
  const project = slash < 0 ? scope.defaultProject() : await projectNamed(text.slice(0, slash), scope);
  if (project === undefined) return [];
  return matching(await list(kind, { project }, scope), text.slice(slash + 1));
};

const branches = async (text: string, scope: NameScope): Promise<Candidate[]> => {
  const at = text.indexOf("@");
  if (at < 0) return inProject("branch", text, scope);
  const project =
    at === 0 ? scope.defaultProject() : await projectNamed(text.slice(0, at).replace(/\/$/, ""), scope);
  return project === undefined ? [] : matching(await list("branch", { project }, scope), text.slice(at + 1));
};

const databases = async (text: string, scope: NameScope): Promise<Candidate[]> => {
  const parts = text.split("/");
  const [first = ""] = parts;
  if (parts.length === 1) {
    const project = scope.defaultProject();
    return matching(await list("database", project === undefined ? {} : { project }, scope), text);
  }
  const project = await projectNamed(first, scope);
  if (project === undefined) return [];
  const named = matchingItems(await list("database", { project }, scope), parts.at(-1) ?? "");
  const branchName = parts.slice(1, -1).join("/").replace(/^@/, "");
  if (branchName === "") return named.flatMap(candidate);
  const inBranch = matching(await list("branch", { project }, scope), branchName);
  return named.filter(({ branchId }) => inBranch.some(({ id }) => id === branchId)).flatMap(candidate);
};

/** Returns the id of a project by name or id. */
const projectNamed = async (text: string, scope: NameScope): Promise<string | undefined> => {
  const projects = matching(await list("project", {}, scope), text);
  if (projects.length > 1) throw ambiguousName("project", text, projects);
  return projects[0]?.id;
};

const matchingItems = (items: readonly Item[], name: string): Item[] =>
  items.filter((item) =>
    [item["id"], item["name"], item["gitName"], item["displayName"], item["logicalId"]].includes(name),
  );

const matching = (items: readonly Item[], name: string): Candidate[] =>
  matchingItems(items, name).flatMap(candidate);

const candidate = (item: Item): Candidate[] => {
  const { id, project } = item;
  if (typeof id !== "string") return [];
  const projectName = valueAt(project, ["name"]);
  const label = [projectName, nameOfItem(item)].filter((part) => typeof part === "string").join("/");
  return [{ id, label }];
};

/** Statuses of a credential that may not list, and of a path that does not exist: the text is then sent as an id. */
const notListed: readonly unknown[] = [403, 404, 422];

const list = async (kind: NamedKind, parents: KnownIds, { client, signal }: NameScope): Promise<Item[]> => {
  const items: Item[] = [];
  try {
    for await (const { data } of client.requestPages(listCall(kind, parents), { signal }).pages())
      items.push(...data.filter(isObject));
  } catch (error) {
    signal.throwIfAborted();
    const status = error instanceof Error && "status" in error ? error.status : undefined;
    const isInvalid = error instanceof Error && "code" in error && error.code === "response:invalid";
    if (!notListed.includes(status) && !isInvalid) throw error;
  }
  return items;
};
