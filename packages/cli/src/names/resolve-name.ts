import type { MgmtClient } from "@mgmt/sdk";
import { ambiguousName, type Candidate, unknownName } from "../errors/name-errors.js";
import { isObject, valueAt } from "../json-path.js";
import type { NamedKind } from "./id-form.js";

export interface NameScope {
  readonly client: MgmtClient;
  readonly signal: AbortSignal;
  /** The project of names without one. */
  readonly defaultProject: () => string | undefined;
}

type Item = Readonly<Record<string, unknown>>;

const pageSize = 1_000;

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
      return matching(await list("/v1/projects", scope), text);
    case "workspace":
      return matching(await list("/v1/workspaces", scope), text);
    case "connection":
      return matching(await list("/v1/connections", scope), text);
    case "branch":
      return branches(text, scope);
    case "database":
      return databases(text, scope);
    case "service":
    case "app":
      return inProject(text, scope, (projectId) => list("/v1/services", scope, { projectId }));
  }
};

/** Splits `PROJECT/REST` and lists in that project, or in the default project. */
const inProject = async (
  text: string,
  scope: NameScope,
  listIn: (projectId: string) => Promise<Item[]>,
): Promise<Candidate[]> => {
  const slash = text.indexOf("/");
  const project = slash < 0 ? scope.defaultProject() : await projectNamed(text.slice(0, slash), scope);
  if (project === undefined) return [];
  return matching(await listIn(project), text.slice(slash + 1));
};

const branches = async (text: string, scope: NameScope): Promise<Candidate[]> => {
  const listIn = (id: string): Promise<Item[]> => list("/v1/projects/{id}/branches", scope, {}, { id });
  const at = text.indexOf("@");
  if (at < 0) return inProject(text, scope, listIn);
  const project =
    at === 0 ? scope.defaultProject() : await projectNamed(text.slice(0, at).replace(/\/$/, ""), scope);
  return project === undefined ? [] : matching(await listIn(project), text.slice(at + 1));
};

const databases = async (text: string, scope: NameScope): Promise<Candidate[]> => {
  const parts = text.split("/");
  const [first = ""] = parts;
  if (parts.length === 1) {
    const projectId = scope.defaultProject();
    const items =
      projectId === undefined ? await list("/v1/databases", scope) : await databasesOf(projectId, scope);
    return matching(items, text);
  }
  const projectId = await projectNamed(first, scope);
  if (projectId === undefined) return [];
  const named = matchingItems(await databasesOf(projectId, scope), parts.at(-1) ?? "");
  const branchName = parts.slice(1, -1).join("/").replace(/^@/, "");
  if (branchName === "") return named.flatMap(candidate);
  const inBranch = matching(
    await list("/v1/projects/{id}/branches", scope, {}, { id: projectId }),
    branchName,
  );
  return named.filter(({ branchId }) => inBranch.some(({ id }) => id === branchId)).flatMap(candidate);
};

const databasesOf = (id: string, scope: NameScope): Promise<Item[]> =>
  list("/v1/projects/{id}/databases", scope, {}, { id });

/** Returns the id of a project by name or id. */
const projectNamed = async (text: string, scope: NameScope): Promise<string | undefined> => {
  const projects = matching(await list("/v1/projects", scope), text);
  if (projects.length > 1) throw ambiguousName("project", text, projects);
  return projects[0]?.id;
};

const matchingItems = (items: readonly Item[], name: string): Item[] =>
  items.filter((item) =>
    [item["id"], item["name"], item["gitName"], item["displayName"], item["logicalId"]].includes(name),
  );

const matching = (items: readonly Item[], name: string): Candidate[] =>
  matchingItems(items, name).flatMap(candidate);

const candidate = ({ id, name, gitName, project }: Item): Candidate[] => {
  if (typeof id !== "string") return [];
  const projectName = valueAt(project, ["name"]);
  const label = [projectName, gitName ?? name].filter((part) => typeof part === "string").join("/");
  return [{ id, label }];
};

/** Statuses of a credential that may not list, and of a path that does not exist: the text is then sent as an id. */
const notListed: readonly unknown[] = [403, 404, 422];

const list = async (
  path: string,
  { client, signal }: NameScope,
  query: Record<string, string> = {},
  pathParams: Record<string, string> = {},
): Promise<Item[]> => {
  const items: Item[] = [];
  try {
    const call = { method: "GET" as const, path, pathParams, query: { ...query, limit: pageSize } };
    for await (const { data } of client.requestPages(call, { signal }).pages())
      items.push(...data.filter(isObject));
  } catch (error) {
    signal.throwIfAborted();
    const status = error instanceof Error && "status" in error ? error.status : undefined;
    const isInvalid = error instanceof Error && "code" in error && error.code === "response:invalid";
    if (!notListed.includes(status) && !isInvalid) throw error;
  }
  return items;
};
