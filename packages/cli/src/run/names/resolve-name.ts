import type { CliError } from "../../errors/cli-error.js";
import { ambiguousNameError, isUnknownNameError, unknownNameError } from "../../errors/name-errors.js";
import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import { findSimilar } from "../../text/suggest.js";
import type { NameableType } from "../../contract/nameable-types.js";
import { type ListedResource, listResources, type ListScope } from "./list-resources.js";

/** Where a name is looked up: the project of names without one, and the client that lists resources. */
export interface NameScope extends ListScope {
  /** The id or name of the project of names without one. */
  readonly findDefaultProject: () => string | undefined;
  /** The field of a body that has the name. Errors then do not repeat its text, which may be a secret in the wrong field. */
  readonly field?: string | undefined;
  /** Asks for the project of a branch whose name does not contain one, or throws if it cannot ask. Default: the text is an id. */
  readonly chooseProject?: (branch: string) => Promise<string>;
}

/** The result of a search for a name. */
interface SearchResult {
  readonly matches: readonly ListedResource[];
  /** The names that could have been meant, as they would be typed. */
  readonly candidateNames: readonly string[];
}

/**
 * Returns the id of the resource with a name, or undefined if the names are not known and the text may be an id. Names are
 * exact: display names, logical ids, the Git names of branches, and ids, with or without their prefix.
 *
 * - `shop`: a project or workspace of that name
 * - `feature/x`, `@feature/x`, `shop/@feature/x`: a branch of the default project, or of the project `shop`
 * - `reports`, `shop/reports`, `shop/feature/x/reports`: a database, also of one project or branch
 * - `web`, `shop/web`, `shop/feature/x/web`: a service or app, also of one project or branch
 * - `app`, `shop/main/reports/app`: a connection, also of one database
 *
 * A name of a database or a service without a project means the default project, if there is one. Names may contain any character, so
 * that every `/` can be part of one; a string that can be read as a full name is one.
 *
 * Throws `name:not_found` with the names that are similar, and `name:ambiguous` with the candidates if several resources have
 * the name.
 */
export const resolveName = async (
  resourceType: NameableType,
  qualifiedName: string,
  options: NameScope,
): Promise<string | undefined> => {
  const scope = { ...options, lists: options.lists ?? new Map() };
  const searchResult = await searchByType(resourceType, qualifiedName, scope);
  const matches = searchResult?.matches ?? [];
  if (matches.length > 1) throw await createAmbiguousNameError(resourceType, qualifiedName, matches, scope);
  const id = matches[0]?.["id"];
  if (typeof id === "string") return id;
  if (searchResult || /[/@]/.test(qualifiedName))
    throw unknownNameError(
      resourceType,
      qualifiedName,
      findSimilar(qualifiedName, searchResult?.candidateNames ?? []),
      scope.field,
    );
  return undefined;
};

const createAmbiguousNameError = async (
  resourceType: NameableType,
  qualifiedName: string,
  matches: readonly ListedResource[],
  scope: NameScope,
): Promise<Error> => {
  const { labelCandidates } = await import("./label-candidates.js");
  return ambiguousNameError(resourceType, qualifiedName, await labelCandidates(resourceType, matches, scope));
};

const searchByType = async (
  resourceType: NameableType,
  qualifiedName: string,
  scope: NameScope,
): Promise<SearchResult | undefined> => {
  switch (resourceType) {
    case "project":
    case "workspace":
      return searchResources(resourceType, await listResources(resourceType, {}, scope), qualifiedName);
    case "branch":
      return searchBranches(qualifiedName, scope);
    case "database":
    case "app":
      return searchDatabasesOrApps(resourceType, qualifiedName, scope);
    case "connection":
      return searchConnections(qualifiedName, scope);
  }
};

const searchBranches = async (qualifiedName: string, scope: NameScope): Promise<SearchResult | undefined> => {
  const branchPrefix = qualifiedName.startsWith("@") ? "@" : "";
  const searchProject = (projectId: string, prefix: string): Promise<SearchResult | undefined> =>
    searchProjectBranches(projectId, qualifiedName, prefix, scope);
  const searchDefaultProject = async (): Promise<SearchResult | undefined> => {
    const projectId = await resolveDefaultProject(scope);
    return projectId === undefined ? undefined : searchProject(projectId, branchPrefix);
  };
  if (branchPrefix === "" && qualifiedName.includes("@")) {
    const namedProjectsResult = await searchNamedProjects(qualifiedName, /\/@?|@/g, scope, searchProject);
    if (hasMatches(namedProjectsResult)) return namedProjectsResult;
    const defaultProjectResult = await searchDefaultProject().catch(ignoreUnknownName);
    if (hasMatches(defaultProjectResult) || namedProjectsResult)
      return hasMatches(defaultProjectResult) ? defaultProjectResult : namedProjectsResult;
    await assertProjectMayExist(qualifiedName.split(/[/@]/)[0] ?? "", scope);
    return undefined;
  }
  // `feature/x` is a branch of the default project, or the branch `x` of the project `feature`.
  const defaultProjectResult = await searchDefaultProject();
  if (hasMatches(defaultProjectResult)) return defaultProjectResult;
  const namedProjectsResult =
    branchPrefix === "" ? await searchNamedProjects(qualifiedName, /\//g, scope, searchProject) : undefined;
  if (namedProjectsResult || defaultProjectResult || !scope.chooseProject)
    return namedProjectsResult ?? defaultProjectResult;
  return searchProject(await scope.chooseProject(qualifiedName), branchPrefix);
};

const hasMatches = (searchResult: SearchResult | undefined): boolean =>
  searchResult !== undefined && searchResult.matches.length > 0;

/**
 * Searches in each project whose name is before one of the separators in a string. Returns undefined if there is none. Throws
 * `name:ambiguous` if several projects have that name.
 */
const searchNamedProjects = async (
  qualifiedName: string,
  separators: RegExp,
  scope: NameScope,
  searchProject: (projectId: string, prefix: string) => Promise<SearchResult | undefined>,
): Promise<SearchResult | undefined> => {
  const results: SearchResult[] = [];
  for (const { index, 0: separator } of qualifiedName.matchAll(separators)) {
    const name = qualifiedName.slice(0, index);
    const matchingProjects = findMatches("project", (await listResources("project", {}, scope)) ?? [], name);
    if (matchingProjects.length > 1)
      throw await createAmbiguousNameError("project", name, matchingProjects, scope);
    const id = matchingProjects[0]?.["id"];
    const searchResult =
      typeof id === "string"
        ? await searchProject(id, qualifiedName.slice(0, index + separator.length))
        : undefined;
    if (searchResult) results.push(searchResult);
  }
  return results.length === 0 ? undefined : mergeResults(results);
};

const mergeResults = (results: readonly SearchResult[]): SearchResult => ({
  matches: [...new Set(results.flatMap(({ matches }) => matches))],
  candidateNames: results.flatMap(({ candidateNames }) => candidateNames),
});

/** @param prefix the part of the text before the name of the branch. */
const searchProjectBranches = async (
  projectId: string,
  qualifiedName: string,
  prefix: string,
  scope: NameScope,
): Promise<SearchResult | undefined> =>
  searchResources(
    "branch",
    await listResources("branch", { project: projectId }, scope),
    qualifiedName.slice(prefix.length),
    prefix,
  );

const ignoreUnknownName = (error: unknown): undefined => {
  if (isUnknownNameError(error)) return undefined;
  throw error;
};

/** Searches databases or services: `NAME`, `PROJECT/NAME`, or `PROJECT/BRANCH/NAME`. */
const searchDatabasesOrApps = async (
  resourceType: "database" | "app",
  qualifiedName: string,
  scope: NameScope,
): Promise<SearchResult | undefined> => {
  const searchDefaultProject = async (): Promise<SearchResult | undefined> => {
    const projectId = await resolveDefaultProject(scope);
    const parentIds = projectId === undefined ? {} : { project: projectId };
    return searchResources(resourceType, await listResources(resourceType, parentIds, scope), qualifiedName);
  };
  if (!qualifiedName.includes("/")) return searchDefaultProject();
  const searchProject = (projectId: string, prefix: string): Promise<SearchResult | undefined> =>
    searchProjectDatabasesOrApps(projectId, resourceType, qualifiedName, prefix, scope);
  const namedProjectsResult = await searchNamedProjects(qualifiedName, /\//g, scope, searchProject);
  if (hasMatches(namedProjectsResult)) return namedProjectsResult;
  const defaultProjectResult = await searchDefaultProject().catch(ignoreUnknownName);
  if (hasMatches(defaultProjectResult) || namedProjectsResult)
    return hasMatches(defaultProjectResult) ? defaultProjectResult : namedProjectsResult;
  await assertProjectMayExist(qualifiedName.split("/")[0] ?? "", scope);
  return undefined;
};

/** @param prefix the part of the text that names the project. */
const searchProjectDatabasesOrApps = async (
  projectId: string,
  resourceType: "database" | "app",
  qualifiedName: string,
  prefix: string,
  scope: NameScope,
): Promise<SearchResult | undefined> => {
  const resources = await listResources(resourceType, { project: projectId }, scope);
  const name = qualifiedName.slice(prefix.length);
  const projectResult = searchResources(resourceType, resources, name, prefix);
  if (!resources || !projectResult || !name.includes("/")) return projectResult;
  const branches = (await listResources("branch", { project: projectId }, scope)) ?? [];
  const branchResults = [...name.matchAll(/\//g)].flatMap(({ index }) => {
    const matchingBranches = findMatches("branch", branches, name.slice(0, index).replace(/^@/, ""));
    const branchItems = resources.filter(({ branchId }) =>
      matchingBranches.some(({ id }) => id === branchId),
    );
    const nameStart = prefix.length + index + 1;
    return (
      searchResources(
        resourceType,
        branchItems,
        qualifiedName.slice(nameStart),
        qualifiedName.slice(0, nameStart),
      ) ?? []
    );
  });
  return mergeResults([{ ...projectResult, candidateNames: [] }, ...branchResults]);
};

/** Searches connections: `NAME`, or `DATABASE/NAME` with the name of the database in any of its forms. */
const searchConnections = async (
  qualifiedName: string,
  scope: NameScope,
): Promise<SearchResult | undefined> => {
  const searches: (() => Promise<SearchResult | undefined>)[] = [...qualifiedName.matchAll(/\//g)]
    .reverse()
    .map(
      ({ index }) =>
        () =>
          searchDatabaseConnections(qualifiedName, index, scope),
    );
  searches.push(async () =>
    searchResources("connection", await listResources("connection", {}, scope), qualifiedName),
  );
  let firstResult: SearchResult | undefined;
  let firstProblem: CliError | undefined;
  for (const search of searches) {
    try {
      const searchResult = await search();
      if (hasMatches(searchResult)) return searchResult;
      firstResult ??= searchResult;
    } catch (error) {
      if (!isUnknownNameError(error)) throw error;
      firstProblem ??= error;
    }
  }
  if (firstProblem) throw firstProblem;
  return firstResult;
};

/** @param slashIndex where the name of the database ends. */
const searchDatabaseConnections = async (
  qualifiedName: string,
  slashIndex: number,
  scope: NameScope,
): Promise<SearchResult | undefined> => {
  const databases =
    (await searchDatabasesOrApps("database", qualifiedName.slice(0, slashIndex), scope))?.matches ?? [];
  const lists = await Promise.all(
    databases.map(({ id }) => listResources("connection", { database: String(id) }, scope)),
  );
  const resources = lists.flatMap((list) => list ?? []);
  return searchResources(
    "connection",
    resources,
    qualifiedName.slice(slashIndex + 1),
    qualifiedName.slice(0, slashIndex + 1),
  );
};

const resolveDefaultProject = async (scope: NameScope): Promise<string | undefined> => {
  const idOrName = scope.findDefaultProject();
  return idOrName === undefined
    ? undefined
    : ((await resolveProjectId(idOrName, scope, { mightBeId: true })) ?? idOrName);
};

/**
 * Returns the id of a project by name or id. Throws `name:ambiguous`, and `name:not_found` unless the text may be the id of a
 * project that cannot be listed.
 */
const resolveProjectId = async (
  qualifiedName: string,
  scope: NameScope,
  { mightBeId = false }: { readonly mightBeId?: boolean } = {},
): Promise<string | undefined> => {
  if (mightBeId && qualifiedName.startsWith(idPrefixes.project)) return qualifiedName;
  return resolveName("project", qualifiedName, scope);
};

/** Throws `name:not_found` and `name:ambiguous` as for the name of a project. */
const assertProjectMayExist = async (name: string, scope: NameScope): Promise<void> => {
  await resolveProjectId(name, scope);
};

const getResourceNames = (resource: ListedResource): string[] =>
  [resource["name"], resource["gitName"], resource["displayName"], resource["logicalId"]].filter(
    (name): name is string => typeof name === "string",
  );

/** @param prefix the input before the name, which the similar names get as well. */
const searchResources = (
  resourceType: NameableType,
  resources: readonly ListedResource[] | undefined,
  name: string,
  prefix = "",
): SearchResult | undefined =>
  resources && {
    matches: findMatches(resourceType, resources, name),
    candidateNames: resources.flatMap(getResourceNames).map((itemName) => `${prefix}${itemName}`),
  };

/** Returns the resources with a name, or with an id that may lack its prefix. */
const findMatches = (
  resourceType: NameableType,
  resources: readonly ListedResource[],
  name: string,
): ListedResource[] =>
  resources.filter(
    (resource) =>
      [name, `${idPrefixes[resourceType]}${name}`].includes(String(resource["id"])) ||
      getResourceNames(resource).includes(name),
  );
