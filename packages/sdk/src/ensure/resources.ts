import type { ApiError } from "../errors/api-error.js";
import { InvalidArgumentError } from "../errors/local-errors.js";
import type {
  App,
  Branch,
  CreateApp,
  CreateDatabase,
  CreateProject,
  Database,
  DatabaseWithSecrets,
  Project,
  ProjectWithDatabase,
} from "../generated/types.js";
import type { CursorPages } from "../paging.js";
import type { RequestOptions } from "../request/call.js";
import type { EnsureResult } from "./ensure-result.js";
import { ensure } from "./ensure.js";
import { findApp, findDatabase, findProject } from "./identities.js";

/** Without it, each create would make another one, and a look would find any. */
const requireText = (body: object, field: string): void => {
  // A program in JavaScript may hand over anything.
  const value: unknown = Reflect.get(Object(body) as object, field);
  if (typeof value !== "string" || value === "") {
    throw new InvalidArgumentError(
      field,
      "must be a string, and not empty: ensure tells resources apart by it",
    );
  }
};

type ListBranches = (projectId: string, options: RequestOptions) => CursorPages<Branch>;

/** What is used of a resource: its `create` and `list`. */
interface Creatable<Body, Created, Query, Found> {
  create: (body: Body, options: RequestOptions) => Promise<Created>;
  list: (query: Query, options: RequestOptions) => CursorPages<Found>;
}

type Filters = { projectId: string; branchId?: string; logicalId?: string };

export const ensureProject = (
  projects: Creatable<CreateProject, ProjectWithDatabase, { logicalId: string }, Project>,
  body: CreateProject & { logicalId: string },
  options: RequestOptions | undefined,
): Promise<EnsureResult<ProjectWithDatabase, Project>> => {
  requireText(body, "logicalId");
  return ensure(
    {
      create: (each) => projects.create(body, each),
      find: (each) => findProject((query, how) => projects.list(query, how), body.logicalId, each),
      conflicts: ["project:logical_id_conflict"],
      method: "POST",
      path: "/v1/projects",
    },
    options,
  );
};

export const ensureDatabase = (
  databases: Creatable<CreateDatabase, DatabaseWithSecrets, Filters, Database>,
  branches: ListBranches,
  body: CreateDatabase & { logicalId: string },
  options: RequestOptions | undefined,
): Promise<EnsureResult<DatabaseWithSecrets, Database>> => {
  requireText(body, "projectId");
  requireText(body, "logicalId");
  return ensure(
    {
      create: (each) => databases.create(body, each),
      find: (each) => findDatabase((query, how) => databases.list(query, how), branches, body, each),
      conflicts: ["database:logical_id_conflict"],
      method: "POST",
      path: "/v1/databases",
    },
    options,
  );
};

interface Apps extends Creatable<CreateApp, App, Filters, App> {
  get: (id: string, options: RequestOptions) => Promise<App>;
}

export const ensureApp = (
  apps: Apps,
  path: string,
  branches: ListBranches,
  body: CreateApp,
  options: RequestOptions | undefined,
): Promise<EnsureResult<App>> => {
  requireText(body, "projectId");
  requireText(body, body.logicalId === undefined ? "displayName" : "logicalId");
  const readers = {
    list: (query: Filters, how: RequestOptions) => apps.list(query, how),
    get: (id: string, how: RequestOptions) => apps.get(id, how),
    branches,
  };
  return ensure(
    {
      create: (each) => apps.create(body, each),
      find: (each, conflict: ApiError | undefined) => findApp(readers, body, each, conflict),
      conflicts: ["app:already_exists", "app:logical_id_conflict"],
      method: "POST",
      path,
    },
    options,
  );
};
