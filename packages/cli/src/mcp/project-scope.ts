import type { Call, MgmtClient } from "@mgmt/sdk";
import { noProjectError, outsideProjectError } from "../errors/mcp-errors.js";
import { getAtPath } from "../json/json-path.js";
import type { OperationTool } from "./operation-tool.js";
import type { ToolArguments } from "./tool.js";

/** Where to find the project of a resource: in its own fields, or in the fields of another resource. */
const parents: Readonly<
  Record<string, { readonly path: string; readonly id: string; readonly resourceType: string }>
> = {
  project: { path: "/v1/projects/{id}", id: "id", resourceType: "project" },
  database: { path: "/v1/databases/{id}", id: "project.id", resourceType: "project" },
  branch: { path: "/v1/branches/{id}", id: "project.id", resourceType: "project" },
  connection: { path: "/v1/connections/{id}", id: "database.id", resourceType: "database" },
  app: { path: "/v1/apps/{id}", id: "projectId", resourceType: "project" },
  deployment: { path: "/v1/deployments/{id}", id: "serviceId", resourceType: "app" },
};

/** Operations that concern no project. */
const operationsWithoutProject = new Set([
  "me.get",
  "regions.list",
  "regions.listPostgres",
  "regions.listAccelerate",
  "agentApprovals.get",
]);

/** The filter of lists for resources that are on no branch. */
const unassigned = "unassigned";

/** The projects that the user has configured, by id or name. */
export interface ProjectSettings {
  /** The project that calls use if they do not name one. */
  readonly defaultProject: string | undefined;
  /** The project that calls are limited to. */
  readonly limit: string | undefined;
}

/** The project that calls use by default, and the project that they are limited to. */
export class ProjectScope {
  readonly #ids = new Map<string, Promise<string>>();

  constructor(
    private readonly client: () => Promise<MgmtClient>,
    private readonly resolveName: (idOrName: string) => Promise<string>,
    private readonly projects: ProjectSettings,
  ) {}

  get isLimited(): boolean {
    return this.projects.limit !== undefined;
  }

  /** Returns the id of the project that the server is limited to. */
  getLimit(): Promise<string | undefined> {
    return this.#resolve(this.projects.limit);
  }

  /** Returns the id of the project that calls use if they name none. */
  async getDefaultProjectId(): Promise<string | undefined> {
    return (await this.getLimit()) ?? (await this.#resolve(this.projects.defaultProject));
  }

  async #resolve(project: string | undefined): Promise<string | undefined> {
    if (project === undefined) return undefined;
    const id = this.#ids.get(project) ?? this.#readId(project);
    this.#ids.set(project, id);
    // The service may be there later.
    id.catch(() => this.#ids.delete(project));
    return id;
  }

  /** An id may lack its prefix, and is compared with ids that have it. */
  async #readId(project: string): Promise<string> {
    const client = await this.client();
    return (await client.projects.get(await this.resolveName(project))).id;
  }

  /**
   * Returns the arguments of a call with its project filled in.
   *
   * @throws `mcp:no_project`; `mcp:outside_project` if an id belongs to another project, or the operation concerns more than one
   *   project; errors of the requests that read the project of a resource.
   */
  async restrictArguments(
    tool: OperationTool,
    args: ToolArguments,
    signal: AbortSignal,
  ): Promise<ToolArguments> {
    const filledArguments = await this.#fillProject(tool, args);
    const limit = await this.getLimit();
    if (limit === undefined || operationsWithoutProject.has(tool.operation)) return filledArguments;
    const ids = tool.ids.flatMap(({ path, resourceType }) => {
      const id = getAtPath(filledArguments, path);
      return typeof id === "string" && id !== unassigned ? [{ resourceType, id }] : [];
    });
    // The service checks that a backup belongs to the database beside it.
    const checkedIds = ids.filter(({ resourceType }) => resourceType !== "backup");
    if (checkedIds.length === 0 || checkedIds.every(({ resourceType }) => resourceType === "workspace"))
      throw outsideProjectError(`What ${tool.operation} reads or changes`, limit);
    for (const { resourceType, id } of checkedIds) await this.assertInProject(resourceType, id, signal);
    return filledArguments;
  }

  /** Throws `mcp:outside_project` unless a resource is in the project that the server is limited to. */
  async assertInProject(resourceType: string, id: string, signal: AbortSignal): Promise<void> {
    const limit = await this.getLimit();
    if (limit === undefined) return;
    const projectId = await this.#findProject(resourceType, id, signal);
    if (projectId !== limit) throw outsideProjectError(id, limit);
  }

  async #fillProject(
    { inputSchema, annotations, ids, pathArguments }: OperationTool,
    args: ToolArguments,
  ): Promise<ToolArguments> {
    const takesProject = ids.some(
      ({ path, resourceType }) => resourceType === "project" && path.join(".") === "projectId",
    );
    if (!takesProject || args["projectId"] !== undefined) return args;
    const isFilter =
      annotations.readOnlyHint && !pathArguments.some(({ argument }) => argument === "projectId");
    const isRequired = inputSchema.required?.includes("projectId") ?? false;
    // A branch or a database is in one project, so that its list needs no other limit.
    const isNarrow = ["branchId", "databaseId"].some(
      (name) => args[name] !== undefined && args[name] !== unassigned,
    );
    const usesDefault = !isRequired && !(isFilter && isNarrow);
    const projectId = await (usesDefault ? this.getDefaultProjectId() : this.getLimit());
    if (projectId !== undefined) return { ...args, projectId };
    if (isFilter) return args;
    throw noProjectError();
  }

  async #findProject(resourceType: string, id: string, signal: AbortSignal): Promise<string | undefined> {
    const parent = Object.hasOwn(parents, resourceType) ? parents[resourceType] : undefined;
    if (!parent) return undefined;
    const call: Call = { method: "GET", path: parent.path, pathParams: { id } };
    const response = await (await this.client()).request<unknown>(call, { signal });
    const parentId = getAtPath(response, ["data", ...parent.id.split(".")]);
    if (typeof parentId !== "string") return undefined;
    return parent.resourceType === "project"
      ? parentId
      : this.#findProject(parent.resourceType, parentId, signal);
  }
}
