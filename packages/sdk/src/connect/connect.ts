import { type ConnectableConnection, assertConnectionFormat, connectionString } from "./connection-string.js";
import { validateTimeout } from "../deadlines/deadline.js";
import { ensureNamed } from "../ensure/ensure-named.js";
import type { EnsureResult } from "../ensure/ensure-result.js";
import { createAbortedError, createNoDatabaseError } from "../errors/connect-errors.js";
import type { ConnectResume } from "../errors/connect-resume.js";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import type {
  Connection,
  ConnectionWithSecrets,
  CreateDatabase,
  CreateProject,
  CreatedDatabase,
  Database,
  EnsureDatabase,
  EnsureProject,
  Project,
  ProjectWithDatabase,
} from "../generated/types.js";
import type { RequestOptions } from "../request/call.js";
import type { Waiting } from "../request/context.js";
import { readData } from "../request/decode.js";
import { listPages, readPage } from "../request/paging.js";
import type { RequestFunction } from "../request/request.js";
import { databaseReadyGoal } from "../wait/goals.js";
import { waitFor } from "../wait/wait-for.js";
import type {
  ConnectOptions,
  ConnectedDatabase,
  ConnectedProject,
  EnsuredDatabase,
  EnsuredProject,
} from "./connect-result.js";
import { assertOptions } from "#all-type-checks";

/** A database that exists, which may not be ready. */
interface ConnectTarget<Fields extends object> {
  readonly projectId?: string;
  readonly databaseId: string;
  /** Connections that the response to the create has, with their secrets. */
  readonly connections: readonly ConnectableConnection[];
  /** Further fields of the result. */
  readonly fields: Fields;
}

/** Creates or finds the database. */
type Prepare<Fields extends object> = (options: RequestOptions) => Promise<ConnectTarget<Fields>>;

/** Name of the connection that is created if no other has a password that can be read, as in `ensure`. */
const connectionName = "mgmt";

export const createProjectAndConnect = (
  body: CreateProject,
  request: RequestFunction,
  options: ConnectOptions | undefined,
  waiting: Waiting,
): Promise<ConnectedProject> => {
  const prepare: Prepare<{ project: ProjectWithDatabase }> = async (requestOptions) => {
    assertCreatesDatabase(body);
    const call = { method: "POST", path: "/v1/projects", body } as const;
    const project = await request<ProjectWithDatabase>(call, requestOptions, readData);
    return createProjectTarget(project, { project });
  };
  return connect(prepare, request, options, waiting);
};

export const ensureProjectAndConnect = (
  body: EnsureProject,
  request: RequestFunction,
  options: ConnectOptions | undefined,
  waiting: Waiting,
): Promise<EnsuredProject> => {
  const prepare: Prepare<Pick<EnsuredProject, "project" | "created">> = async (requestOptions) => {
    assertCreatesDatabase(body);
    const result = (await ensureNamed(
      "project",
      body,
      undefined,
      request,
      requestOptions,
      waiting,
    )) as EnsureResult<ProjectWithDatabase, Project>;
    const { created, resource: project } = result;
    if (created) return createProjectTarget(project, { project, created });
    const databaseId = await findDefaultDatabase(project.id, request, requestOptions);
    return { projectId: project.id, databaseId, connections: [], fields: { project, created } };
  };
  return connect(prepare, request, options, waiting);
};

export const createDatabaseAndConnect = (
  body: CreateDatabase,
  request: RequestFunction,
  options: ConnectOptions | undefined,
  waiting: Waiting,
): Promise<ConnectedDatabase> => {
  const prepare: Prepare<object> = async (requestOptions) => {
    const call = { method: "POST", path: "/v1/databases", body } as const;
    const { id, connections } = await request<CreatedDatabase>(call, requestOptions, readData);
    return { databaseId: id, connections, fields: {} };
  };
  return connect(prepare, request, options, waiting);
};

export const ensureDatabaseAndConnect = (
  body: EnsureDatabase,
  request: RequestFunction,
  options: ConnectOptions | undefined,
  waiting: Waiting,
): Promise<EnsuredDatabase> => {
  const prepare: Prepare<Pick<EnsuredDatabase, "created">> = async (requestOptions) => {
    const ensureOptions = { ...requestOptions, credentials: false };
    const { created, resource } = (await ensureNamed(
      "database",
      body,
      undefined,
      request,
      ensureOptions,
      waiting,
    )) as EnsureResult<CreatedDatabase, Database>;
    return { databaseId: resource.id, connections: [], fields: { created } };
  };
  return connect(prepare, request, options, waiting);
};

const assertCreatesDatabase = (body: CreateProject | undefined): void => {
  if (body?.createDatabase !== false) return;
  throw new InvalidArgumentError(
    "createDatabase",
    "must not be false, because the call connects to the database",
  );
};

const createProjectTarget = <Fields extends object>(
  { id, database }: ProjectWithDatabase,
  fields: Fields,
): ConnectTarget<Fields> => {
  if (database === null) throw createNoDatabaseError(id);
  return { projectId: id, databaseId: database.id, connections: database.connections, fields };
};

/** @throws ConnectError `connect:no_database`. */
const findDefaultDatabase = async (
  projectId: string,
  request: RequestFunction,
  options: RequestOptions,
): Promise<string> => {
  const call = {
    method: "GET",
    path: "/v1/projects/{projectId}/databases",
    pathParams: { projectId },
  } as const;
  let firstId: string | undefined;
  for await (const { id, isDefault } of listPages<Database>(request, call, options, readPage)) {
    if (isDefault) return id;
    firstId ??= id;
  }
  if (firstId === undefined) throw createNoDatabaseError(projectId);
  return firstId;
};

/** Prepares a database, waits until it is ready, and returns its connection string. `timeoutMs` is the deadline of all requests together. */
const connect = async <Fields extends object>(
  prepare: Prepare<Fields>,
  request: RequestFunction,
  options: ConnectOptions = {},
  waiting: Waiting,
): Promise<Fields & ConnectedDatabase> => {
  const { requestOptions, signal, timeoutMs } = readConnectOptions(options);
  const startedAt = waiting.timers.performance.now();
  const target = await prepare({
    ...requestOptions,
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return new PendingConnection(target, request, waiting).connectSince(startedAt, options);
};

/** @throws InvalidArgumentError before anything is created. */
const readConnectOptions = (options: ConnectOptions) => {
  assertOptions(options, "a call that connects", () => InvalidArgumentError);
  const { pooled, format, onProgress, pollIntervalMs, sleep, signal, timeoutMs, ...requestOptions } = options;
  assertConnectionFormat(format);
  if (timeoutMs !== undefined) validateTimeout(timeoutMs);
  if (pollIntervalMs !== undefined) validateTimeout(pollIntervalMs, "pollIntervalMs");
  return {
    requestOptions,
    signal,
    timeoutMs,
    stringOptions: { ...(pooled !== undefined && { pooled }), ...(format !== undefined && { format }) },
  };
};

/** A database that exists, to which a call has not connected. */
class PendingConnection<Fields extends object> implements ConnectResume {
  declare readonly projectId?: string;
  readonly databaseId: string;
  // Private, because printing an error must not show secrets.
  readonly #target: ConnectTarget<Fields>;
  readonly #request: RequestFunction;
  readonly #waiting: Waiting;

  constructor(target: ConnectTarget<Fields>, request: RequestFunction, waiting: Waiting) {
    if (target.projectId !== undefined) this.projectId = target.projectId;
    this.databaseId = target.databaseId;
    this.#target = target;
    this.#request = request;
    this.#waiting = waiting;
  }

  connect(options: ConnectOptions = {}): Promise<Fields & ConnectedDatabase> {
    return this.connectSince(this.#waiting.timers.performance.now(), options);
  }

  /** @param startedAt when the deadline began, by the client's `performance.now()`. */
  async connectSince(startedAt: number, options: ConnectOptions): Promise<Fields & ConnectedDatabase> {
    const { requestOptions, signal, timeoutMs, stringOptions } = readConnectOptions(options);
    try {
      const { pooled: _, format: __, ...waitOptions } = options;
      const database = await waitFor(
        {
          goal: databaseReadyGoal,
          id: this.databaseId,
          poll: (options) => this.#readDatabase(options),
          startedAt,
        },
        waitOptions,
        this.#waiting,
      );
      const remainingMs = startedAt + (timeoutMs ?? Infinity) - this.#waiting.timers.performance.now();
      const connection =
        this.#findReadableConnection(database) ??
        (await this.#createConnection({
          ...requestOptions,
          ...(signal && { signal }),
          ...(timeoutMs !== undefined && { timeoutMs: Math.max(remainingMs, 1) }),
        }));
      return {
        ...this.#target.fields,
        database,
        connectionString: connectionString(connection, stringOptions),
      };
    } catch (error) {
      const signals = this.#waiting.signals.concat(signal ?? []);
      throw this.#addResume(
        error,
        signals.some(({ aborted }) => aborted),
      );
    }
  }

  #readDatabase(options: RequestOptions): Promise<Database> {
    const { databaseId } = this;
    const call = { method: "GET", path: "/v1/databases/{databaseId}", pathParams: { databaseId } } as const;
    return this.#request<Database>(call, options, readData);
  }

  /** Returns the default connection, or the first one, that has a password. */
  #findReadableConnection({ connections, defaultConnectionId }: Database): ConnectableConnection | undefined {
    const isDefault = ({ id }: Connection): boolean => id === defaultConnectionId;
    const candidates = [...this.#target.connections, ...connections.filter(isDefault), ...connections];
    return candidates.find(({ directConnection }) => typeof directConnection?.pass === "string");
  }

  #createConnection(options: RequestOptions): Promise<ConnectionWithSecrets> {
    const body = { databaseId: this.databaseId, name: connectionName };
    return this.#request<ConnectionWithSecrets>(
      { method: "POST", path: "/v1/connections", body },
      options,
      readData,
    );
  }

  #addResume(error: unknown, isAborted: boolean): unknown {
    // Callers share the reason of a signal, so it cannot say what exists.
    const subject =
      this.projectId === undefined ? `Database ${this.databaseId}` : `Project ${this.projectId}`;
    const connectError = isAborted ? createAbortedError(subject, error) : error;
    if (connectError instanceof MgmtError) connectError.resume = this;
    return connectError;
  }
}
