import type { ApiError } from "../errors/api-error.js";
import { isApiError } from "../errors/is-api-error.js";
import type { App, Branch, CreateApp, CreateDatabase, Database, Project } from "../generated/types.js";
import type { CursorPages } from "../paging.js";
import type { RequestOptions } from "../request/call.js";

/** Reads the branches of a project. */
type ListBranches = (projectId: string, options: RequestOptions) => CursorPages<Branch>;
/** Lists with the filters that all of them know. */
type List<T> = (
  query: { projectId: string; branchId?: string; logicalId?: string },
  options: RequestOptions,
) => CursorPages<T>;

const first = async <T>(pages: CursorPages<T>): Promise<T | undefined> => (await pages).data[0];

/** One per workspace. */
export const findProject = (
  list: (query: { logicalId: string }, options: RequestOptions) => CursorPages<Project>,
  logicalId: string,
  options: RequestOptions,
): Promise<Project | undefined> => first(list({ logicalId }, options));

interface Placed {
  projectId: string;
  branchId?: string | null;
  branchGitName?: string | null;
}

/** The branch that a create puts it on: the given one, none for null, else the project's default one. */
const branchOf = async (
  { projectId, branchId, branchGitName }: Placed,
  branches: ListBranches,
  options: RequestOptions,
): Promise<string | undefined> => {
  if (branchId === null || branchGitName === null) return "unassigned";
  if (branchId !== undefined) return branchId;
  for await (const branch of branches(projectId, options)) {
    if (branchGitName === undefined ? branch.isDefault : branch.gitName === branchGitName) return branch.id;
  }
  return undefined;
};

/** One per branch. */
export const findDatabase = async (
  list: List<Database>,
  branches: ListBranches,
  body: CreateDatabase & { logicalId: string },
  options: RequestOptions,
): Promise<Database | undefined> => {
  const { projectId, logicalId } = body;
  const branchId = await branchOf(body, branches, options);
  return branchId === undefined ? undefined : first(list({ projectId, branchId, logicalId }, options));
};

interface AppReaders {
  list: List<App>;
  get: (id: string, options: RequestOptions) => Promise<App>;
  branches: ListBranches;
}

/**
 * By `logicalId` when it has one, else by name; both are one per branch. Throws the conflict when it is another app that
 * has the name.
 */
export const findApp = async (
  { list, get, branches }: AppReaders,
  body: CreateApp,
  options: RequestOptions,
  conflict: ApiError | undefined,
): Promise<App | undefined> => {
  const { projectId, displayName, logicalId } = body;
  if (logicalId === undefined && isApiError(conflict, "app:already_exists")) {
    return get(conflict.existingAppId, options);
  }
  const branchId = await branchOf(body, branches, options);
  if (branchId === undefined) return undefined;
  if (logicalId !== undefined) {
    const found = await first(list({ projectId, branchId, logicalId }, options));
    if (!found && isApiError(conflict, "app:already_exists") && conflict.conflict === "name") throw conflict;
    return found;
  }
  for await (const app of list({ projectId, branchId }, options)) if (app.name === displayName) return app;
  return undefined;
};
