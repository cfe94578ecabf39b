/** A column of a list, or a field of a single resource. */
export interface Column {
  title: string;
  /** Path of the value in the resource, dotted. */
  path: string;
}

/** Parses `id, region=region.id`: titles, each with its path where that differs. */
const parseColumns = (...specs: string[]): Column[] =>
  specs
    .join(", ")
    .split(", ")
    .map((spec) => {
      const [title = spec, path = title] = spec.split("=");
      return { title, path };
    });

/** Columns of a list, by component schema. The id comes first, if there is one. */
export const listColumns: Readonly<Record<string, Column[]>> = {
  Project: parseColumns("id, name, region=defaultRegion, logical id=logicalId, created=createdAt"),
  Database: parseColumns(
    "id, name, status, region=region.id, default=isDefault, project=project.id, created=createdAt",
  ),
  Connection: parseColumns(
    "id, name, kind, database=database.id, host=endpoints.direct.host, created=createdAt",
  ),
  Integration: parseColumns(
    "id, client=client.name, client id=client.id, user=createdByUser.email, scopes, created=createdAt",
  ),
  ServiceToken: parseColumns("id, name, ends in=valueHint, expires=expiresAt, created=createdAt"),
  Workspace: parseColumns("id, name, created=createdAt"),
  Region: parseColumns("id, name, status"),
  ProductRegion: parseColumns("id, name, product, status"),
  Branch: parseColumns(
    "id, git name=gitName, role, default=isDefault, project=project.id, created=createdAt",
  ),
  Backup: parseColumns("id, type=backupType, status, bytes=size, created=createdAt"),
  App: parseColumns(
    "id, name, region=region.id, project=projectId, branch=branchId, domain=appEndpointDomain, created=createdAt",
  ),
  Deployment: parseColumns("id, service=serviceId, version=foundryVersionId, created=createdAt"),
  Usage: parseColumns(
    "period.start, period.end, metrics.operations.used, metrics.operations.unit",
    "metrics.storage.used, metrics.storage.unit, generatedAt",
  ),
};

/** Columns of lists that commands make themselves, by the name that they pass to the output. */
const commandListColumns: Readonly<Record<string, Column[]>> = {
  DatabaseStatus: parseColumns("id, name, status, size, connections, branch, default=isDefault, region"),
  DatabaseUsage: parseColumns(
    "id, name, project=project.name, operations=operations.used, storage (GiB)=storage.used",
  ),
  GroupUsage: parseColumns(
    "id, name, project=project.name, databases, operations=operations.used, storage (GiB)=storage.used",
  ),
  StoredProfile: parseColumns(
    "profile, active, service, account, workspace=workspaceId, credential, store, expires=endsAt, renews",
  ),
  WorkspaceWithMembers: parseColumns("id, name, owner=members.0.email"),
  Preview: parseColumns(
    "branch, database=databaseId, status, created=createdAt, expires=expiresAt, remote, connection=connectionId",
  ),
};

const projectDetails =
  "id, name, region=defaultRegion, logical id=logicalId, workspace=workspace.id, created=createdAt, url";
const databaseDetails = [
  "id, name, status, region=region.id, default=isDefault, project=project.id, branch=branchId, logical id=logicalId",
  "source=source.type, source database=source.databaseId, source backup=source.backupId",
  "default connection=defaultConnectionId, created=createdAt, url",
];
const connectionDetails =
  "id, name, kind, database=database.id, host=endpoints.direct.host, port=endpoints.direct.port, created=createdAt, url";

/** Fields of one resource, each on a line of its own, for component schemas and results of commands. */
export const detailFields: Readonly<Record<string, Column[]>> = {
  Project: parseColumns(projectDetails),
  ProjectWithDatabase: parseColumns(
    projectDetails,
    "database=database.id, database status=database.status, connection string=database.connectionString",
    "pooled=database.connections.0.endpoints.pooled.connectionString",
  ),
  Database: parseColumns(...databaseDetails),
  // The commands that create it add a connection.
  CreatedDatabase: parseColumns(
    ...databaseDetails,
    "connection string=connection.connectionString, pooled=connection.endpoints.pooled.connectionString",
  ),
  RecoveringDatabase: parseColumns(...databaseDetails),
  DatabaseWithSecrets: parseColumns(
    ...databaseDetails,
    "connection string=connectionString, pooled=connections.0.endpoints.pooled.connectionString",
  ),
  Connection: parseColumns(connectionDetails),
  ConnectionWithSecrets: parseColumns(
    connectionDetails,
    "connection string=connectionString, pooled=endpoints.pooled.connectionString",
  ),
  Workspace: parseColumns("id, name, created=createdAt, url"),
  Branch: parseColumns(
    "id, git name=gitName, role, default=isDefault, project=project.id, project name=project.name",
    "created=createdAt, updated=updatedAt, url",
  ),
  // The units are constants of the contract.
  Usage: parseColumns(
    "period start=period.start, period end=period.end, operations=metrics.operations.used",
    "storage (GiB)=metrics.storage.used, generated=generatedAt",
  ),
  LinkResult: parseColumns("profile, workspace=workspaceId, project=projectId, protect, file"),
  DumpResult: parseColumns("file, database=databaseId, format, bytes, postgres=postgresVersion"),
  RestoreResult: parseColumns("database=databaseId, file, program"),
  CopyResult: parseColumns("from, to=databaseId, bytes"),
  ConnectionStringResult: parseColumns(
    "connection string=connectionString, database=databaseId, connection=connectionId, user, host, port, pooled, created",
  ),
  McpInstallResult: parseColumns("client, scope, file, change, written"),
  SkillsInstallResult: parseColumns("client, scope, file, change, version"),
  EnvResult: parseColumns("file, variable, database=databaseId, changed"),
};

/** Returns the columns of a list. A schema without an entry above gets the simple fields of its first item. */
export const selectListColumns = (schemaName: string | undefined, items: readonly unknown[]): Column[] =>
  (schemaName !== undefined && (listColumns[schemaName] ?? commandListColumns[schemaName])) ||
  deriveColumns(items[0], { includesNested: false });

/** Returns the fields of one resource, each of which is a line. */
export const selectDetailFields = (schemaName: string | undefined, value: unknown): Column[] =>
  (schemaName !== undefined && detailFields[schemaName]) || deriveColumns(value, { includesNested: true });

/**
 * Returns columns for the fields with a single value, with dotted paths for nested ones. Leaves out lists of objects, which do not fit into a
 * table, and the field `type`, which is the same for all resources of a kind.
 */
const deriveColumns = (
  value: unknown,
  options: { readonly includesNested: boolean },
  pathPrefix = "",
): Column[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]: [string, unknown]) => {
    const path = `${pathPrefix}${name}`;
    if (pathPrefix === "" && name === "type") return [];
    if (typeof entry !== "object" || entry === null) return [{ title: formatTitle(path), path }];
    if (Array.isArray(entry)) {
      return entry.some((element) => typeof element === "object") ? [] : [{ title: formatTitle(path), path }];
    }
    return options.includesNested ? deriveColumns(entry, options, `${path}.`) : [];
  });
};

/** Returns the words of a path: `operation id` for `operationId`, and `workspace name` for `workspace.name`. */
const formatTitle = (path: string): string =>
  path
    .replaceAll(".", " ")
    .replaceAll(
      /([a-z0-9])([A-Z])(?![A-Z])/g,
      (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`,
    );
