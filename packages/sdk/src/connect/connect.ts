import { validateTimeout } from "../deadlines/deadline.js";
import { limitToRemainingTime } from "../ensure/ensure.js";
import { ensureNamed } from "../ensure/ensure-named.js";
import type { EnsureResult } from "../ensure/ensure-result.js";
import { createAbortedError, createNoDatabaseError } from "../errors/connect-errors.js";
import type { ConnectResume } from "../errors/connect-resume.js";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import { WaitTimeoutError } from "../errors/wait-errors.js";
import type {
  Connection,
  ConnectionWithSecrets,
  CreateProject,
  CreatedDatabase,
  Database,
  DirectConnection,
  Project,
  ProjectWithDatabase,
} from "../generated/types.js";
import type { RequestOptions } from "../request/call.js";
import type { WaitContext } from "../request/context.js";
import { readData } from "../request/decode.js";
import { listPages, readPage } from "../request/paging.js";
import type { RequestFunction } from "../request/request.js";
import { databaseReadyGoal } from "../wait/goals.js";
import { waitFor } from "../wait/wait-for.js";
import type { ConnectOptions, ConnectedDatabase } from "./connect-result.js";
import { assertOptions } from "#all-type-checks";
import { maskInspection } from "#masked-inspection";

type AnyConnection = ConnectedDatabase["connection"];

/** A database that exists, which may not be ready. */
interface ConnectTarget {
  readonly projectId?: string;
  readonly databaseId: string;
  /** Connections that the response to the create has, with their secrets. */
  readonly connections: readonly AnyConnection[];
  /** Further fields of the result. */
  readonly fields: object;
}

/** Creates or finds the database. */
type Prepare = (
  body: object,
  options: RequestOptions,
  request: RequestFunction,
  waitContext: WaitContext,
) => Promise<ConnectTarget>;

const resumeHint =
  "Provisioning continues in the background: call error.resume.connect(), or pass a larger timeoutMs.";

/** Name of the connection that is created if no other has a password that can be read, as in `ensure`. */
const connectionName = "mgmt";

const createProject: Prepare = async (body, options, request) => {
  assertCreatesDatabase(body);
  const call = { method: "POST", path: "/v1/projects", body } as const;
  const project = await request<ProjectWithDatabase>(call, options, readData);
  return createProjectTarget(project, { project });
};

const ensureProject: Prepare = async (body, options, request, waitContext) => {
  assertCreatesDatabase(body);
  // Without `dryRun`, the result is not a plan.
  const { created, resource: project } = (await ensureNamed(
    "project",
    body,
    undefined,
    request,
    options,
    waitContext,
  )) as EnsureResult<ProjectWithDatabase, Project>;
  if (created) return createProjectTarget(project, { project, created });
  const databaseId = await findDefaultDatabase(project.id, request, options);
  return { projectId: project.id, databaseId, connections: [], fields: { project, created } };
};

const createDatabase: Prepare = async (body, options, request) => {
  const call = { method: "POST", path: "/v1/databases", body } as const;
  const { id, connections } = await request<CreatedDatabase>(call, options, readData);
  return { databaseId: id, connections, fields: {} };
};

const ensureDatabase: Prepare = async (body, options, request, waitContext) => {
  const ensureOptions = { ...options, credentials: false };
  // Without `dryRun`, the result is not a plan.
  const { created, resource } = (await ensureNamed(
    "database",
    body,
    undefined,
    request,
    ensureOptions,
    waitContext,
  )) as EnsureResult<CreatedDatabase, Database>;
  return { databaseId: resource.id, connections: [], fields: { created } };
};

const preparations = {
  project: { create: createProject, ensure: ensureProject },
  database: { create: createDatabase, ensure: ensureDatabase },
} satisfies Record<string, Record<Preparation, Prepare>>;

/** A resource that has a database, or is one. */
export type ConnectableName = keyof typeof preparations;
/** The work of a call before it connects. */
export type Preparation = "create" | "ensure";

const assertCreatesDatabase = (body: CreateProject): void => {
  if (body.createDatabase !== false) return;
  throw new InvalidArgumentError(
    "createDatabase",
    "must not be false, because the call connects to the database",
  );
};

const createProjectTarget = ({ id, database }: ProjectWithDatabase, fields: object): ConnectTarget => {
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

/**
 * Prepares a database, waits until it is ready, and returns its connection string. `timeoutMs` is the deadline of all requests together.
 *
 * @param body the body of the method, which declares the types of the body and the result.
 */
export const connect = async (
  name: ConnectableName,
  body: object | undefined,
  preparation: Preparation | undefined,
  request: RequestFunction,
  options: ConnectOptions | undefined,
  waitContext: WaitContext,
): Promise<ConnectedDatabase> => {
  const callOptions = readCallOptions(options);
  const startedAt = waitContext.timers.performance.now();
  const target = await preparations[name][preparation ?? "create"](
    body ?? {},
    callOptions,
    request,
    waitContext,
  );
  return new PendingConnection(target, request, waitContext).connectSince(startedAt, options);
};

/**
 * Returns the options that each request has, too.
 *
 * @throws InvalidArgumentError before anything is created.
 */
const readCallOptions = (options: ConnectOptions = {}): RequestOptions => {
  assertOptions(options, "a wait", () => InvalidArgumentError);
  const { onProgress, pollIntervalMs, sleep, ...callOptions } = options;
  if (callOptions.timeoutMs !== undefined) validateTimeout(callOptions.timeoutMs);
  if (pollIntervalMs !== undefined) validateTimeout(pollIntervalMs, "pollIntervalMs");
  return callOptions;
};

/** A database that exists, to which a call has not connected. */
class PendingConnection implements ConnectResume {
  declare readonly projectId?: string;
  readonly databaseId: string;
  // Private, because printing an error must not show secrets.
  readonly #target: ConnectTarget;
  readonly #request: RequestFunction;
  readonly #waitContext: WaitContext;

  constructor(target: ConnectTarget, request: RequestFunction, waitContext: WaitContext) {
    if (target.projectId !== undefined) this.projectId = target.projectId;
    this.databaseId = target.databaseId;
    this.#target = target;
    this.#request = request;
    this.#waitContext = waitContext;
  }

  connect(options?: ConnectOptions): Promise<ConnectedDatabase> {
    return this.connectSince(this.#waitContext.timers.performance.now(), options);
  }

  /** @param startedAt when the deadline began, by the client's `performance.now()`. */
  async connectSince(startedAt: number, options: ConnectOptions | undefined): Promise<ConnectedDatabase> {
    const callOptions = readCallOptions(options);
    const { fields } = this.#target;
    try {
      const database = await waitFor(
        {
          goal: databaseReadyGoal,
          id: this.databaseId,
          poll: (options) => this.#readDatabase(options),
          startedAt,
        },
        options,
        this.#waitContext,
      );
      const connection = this.#findReadableConnection(database);
      if (connection?.directConnection)
        return maskResult({
          ...fields,
          database,
          connection,
          connectionString: buildUri(connection.directConnection),
        });
      const deadline = startedAt + (callOptions.timeoutMs ?? Infinity);
      const newConnection = await this.#createConnection(
        limitToRemainingTime(callOptions, deadline, this.#waitContext.timers),
      );
      return maskResult({
        ...fields,
        database,
        connection: newConnection,
        connectionString: newConnection.connectionString,
      });
    } catch (error) {
      const signals = this.#waitContext.signals.concat(callOptions.signal ?? []);
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
  #findReadableConnection({ connections, defaultConnectionId }: Database): AnyConnection | undefined {
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
    // Callers share the reason of a signal, so it cannot contain what exists.
    const subject =
      this.projectId === undefined ? `Database ${this.databaseId}` : `Project ${this.projectId}`;
    const connectError = isAborted ? createAbortedError(subject, error) : error;
    // The hint of a wait names a method that would not connect.
    if (connectError instanceof WaitTimeoutError) Object.assign(connectError, { hint: resumeHint });
    if (connectError instanceof MgmtError) connectError.resume = this;
    return connectError;
  }
}

/** Makes `console.log` mask the connection string, as it masks the secrets of responses. */
const maskResult = (result: ConnectedDatabase): ConnectedDatabase => {
  maskInspection(result);
  return result;
};

/**
 * Builds what `connectionString` does for the same connection. It calls nothing that other modules export to programs: bundlers would then
 * load that at the start of every program.
 */
const buildUri = ({ host, user, pass }: DirectConnection): string => {
  const sslMode = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|$)/i.test(host) ? "disable" : "require";
  return `postgresql://${encode(user)}:${encode(pass)}@${host.replace(/:5432$/, "")}/postgres?sslmode=${sslMode}`;
};

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
