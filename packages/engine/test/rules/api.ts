import type { DefaultResources } from "../../src/server/stored-server.js";
import { type OperationId, operations } from "../../src/generated/operations.js";
import type { ProjectDatabase, ProjectWithDatabase } from "../../src/generated/schemas.js";
import type { Responses } from "./responses.js";
import type { Store } from "../../src/store/store.js";
import { type EngineUnderTest, openEngine } from "../server/engine-under-test.js";
import { ModelDatabases } from "./model-databases.js";

/** Principal of a request. `stranger` is the owner of another workspace. */
export type Who = "user" | "service" | "agent" | "stranger";

export interface Asked {
  path?: Record<string, string>;
  query?: Record<string, string | number> | string;
  body?: unknown;
  /** Default: `user`. */
  as?: Who;
  /** Token to use instead of the token of `as`. */
  token?: string;
}

export interface Reply {
  status: number;
  code: string | undefined;
  body: unknown;
  headers: Readonly<Record<string, string>>;
}

/** Expectations of an error response. */
export interface Rejection {
  status: number;
  code: string;
}

/** A server with a frozen clock, two workspaces and a database engine that can be made to fail. */
export class Api {
  #tokens: Record<Who, string> | undefined;

  private constructor(
    readonly engine: EngineUnderTest,
    readonly databases: ModelDatabases,
    /** Unexpected errors inside the server. Any 500 that a test does not expect is one. */
    readonly defects: unknown[],
    /** The rows that the server started with. */
    readonly defaults: DefaultResources,
  ) {}

  static async open(): Promise<Api> {
    const databases = new ModelDatabases();
    const defects: unknown[] = [];
    const engine = await openEngine({
      deterministic: "behaviors",
      databaseEngine: databases,
      validateResponses: true,
      onDefect: (error) => defects.push(error),
    });
    return new Api(engine, databases, defects, await engine.readDefaults());
  }

  store(): Promise<Store> {
    return this.engine.readStore();
  }

  get workspaceId(): string {
    return this.defaults.workspace.id;
  }

  get strangerWorkspaceId(): string {
    return this.defaults.otherWorkspace.id;
  }

  /** Id of an agent of the first user. */
  get agentId(): string {
    return this.workspaceId.replace(/^wksp_/, "agent_");
  }

  /** Advances the clock and runs the jobs that fall due. The default is longer than any life cycle. */
  later(milliseconds = 10_000): Promise<void> {
    return this.engine.clock.advance(milliseconds);
  }

  async send(operationId: OperationId, asked: Asked = {}): Promise<Reply> {
    const { method, path } = operations[operationId];
    const token = asked.token ?? (await this.#tokenOf(asked.as ?? "user"));
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => asked.path?.[name] ?? "");
    const response = await this.engine.handle({
      method,
      path: target + queryText(asked.query),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: asked.body === undefined ? undefined : JSON.stringify(asked.body),
    });
    const body: unknown = response.body === undefined ? undefined : JSON.parse(response.body);
    const { status, headers } = response;
    const reply = { status, code: codeOf(body), body, headers };
    seen.add(triple(operationId, reply.status, reply.code));
    return reply;
  }

  /** Returns the body of a success. */
  async ok<Id extends OperationId>(operationId: Id, asked: Asked = {}): Promise<Responses[Id]> {
    const { status, body } = await this.send(operationId, asked);
    if (status >= 300) {
      throw new Error(`${operationId} answered ${String(status)} ${JSON.stringify(body)}`, {
        cause: this.defects.at(-1),
      });
    }
    // The server checks its responses against the contract, whose parts `Responses` names.
    return body as Responses[Id];
  }

  /** Returns the status and code of an error. Expects that nothing has changed. */
  async refused(operationId: OperationId, asked: Asked = {}): Promise<Rejection> {
    const { status, code } = await this.rejectedWith(operationId, asked);
    return { status, code };
  }

  /** Like `codeOf`, with the whole error. */
  async rejectedWith(
    operationId: OperationId,
    asked: Asked = {},
  ): Promise<Rejection & { error: Record<string, unknown> }> {
    await this.#tokenOf(asked.as ?? "user");
    const before = await this.#state();
    const { status, code, body } = await this.send(operationId, asked);
    if (code === undefined) throw new Error(`${operationId} answered ${String(status)}: no refusal`);
    if ((await this.#state()) !== before)
      throw new Error(`${operationId} answered ${code} and changed something`);
    if (code === "internal:error") this.defects.length = 0;
    // An error body of the contract, as `codeOf` has checked.
    const { error } = body as { error: Record<string, unknown> };
    if (status === 422 && !Array.isArray(error["issues"])) throw new Error(`${code} has no issues`);
    return { status, code, error };
  }

  /** Returns the paths of the issues of a 422. */
  async issues(operationId: OperationId, asked: Asked = {}): Promise<string[]> {
    const { status, code, error } = await this.rejectedWith(operationId, asked);
    if (status !== 422) throw new Error(`${operationId} answered ${String(status)} ${code}`);
    // The contract's ValidationError has issues.
    return (error["issues"] as { path: string }[]).map(({ path }) => path);
  }

  /** Creates a project with its default database, which becomes ready unless `provisioning` is requested. */
  async project(
    body: Record<string, unknown> = {},
    { as = "user", provisioning = false }: { as?: Who; provisioning?: boolean } = {},
  ): Promise<{ project: ProjectWithDatabase; database: ProjectDatabase }> {
    const { data: project } = await this.ok("projects.create", { body, as });
    if (!project.database) throw new Error("The project was asked to have no database");
    if (!provisioning) await this.later();
    return { project, database: project.database };
  }

  /** Creates another database in the project, which becomes ready unless `provisioning` is requested. */
  async database(
    projectId: string,
    body: Record<string, unknown> = {},
    { provisioning = false }: { provisioning?: boolean } = {},
  ): Promise<Responses["databases.create"]["data"]> {
    const { data } = await this.ok("databases.create", { body: { projectId, ...body } });
    if (!provisioning) await this.later();
    return data;
  }

  /** Creates a project with a second database, which is ready. Returns the ids of this database and its connection. */
  async databaseWithConnection(): Promise<{ databaseId: string; connectionId: string }> {
    const { project } = await this.project();
    const { id: databaseId, defaultConnectionId } = await this.database(project.id);
    if (defaultConnectionId === null) throw new Error("The database has no connection");
    return { databaseId, connectionId: defaultConnectionId };
  }

  async status(databaseId: string): Promise<string> {
    const { data } = await this.ok("databases.get", { path: { databaseId } });
    return data.status;
  }

  async #tokenOf(who: Who): Promise<string> {
    const mint = this.engine.tokens;
    // Tokens do not expire, because tests move the clock. All are signed at once, because signing uses the
    // seeded generator.
    const expiresAt = (await this.engine.clock.now()) + 365 * 86_400_000;
    this.#tokens ??= {
      user: await mint.user({ expiresAt }),
      stranger: await mint.otherUser({ expiresAt }),
      service: await mint.service(),
      agent: await mint.agent({ expiresAt }),
    };
    return this.#tokens[who];
  }

  async #state(): Promise<string> {
    const { store, jobs } = await this.engine.snapshot();
    return JSON.stringify({ store, jobs });
  }
}

const queryText = (query: Asked["query"]): string => {
  if (query === undefined) return "";
  if (typeof query === "string") return `?${query}`;
  return `?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()}`;
};

const codeOf = (body: unknown): string | undefined => {
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined;
};

const seen = new Set<string>();
const triple = (operationId: string, status: number, code: string | undefined): string =>
  `${operationId} ${String(status)} ${code ?? "-"}`;

/** Responses that do not depend on the operation and are tested elsewhere for all operations. */
const crossCutting = new Set([
  "auth:unauthorized",
  "auth:forbidden",
  "approval_required",
  "approval:denied",
  "request:malformed",
  "request:too_large",
  "request:unsupported_media_type",
  "rate_limit:exceeded",
  "internal:error",
  "internal:unavailable",
]);

/**
 * Returns the responses that the contract lists for these operations and no test of this file has received.
 */
export const unseenResponses = (...operationIds: OperationId[]): string[] =>
  operationIds.flatMap((id) =>
    Object.entries(operations[id].responses).flatMap(([status, codes]) =>
      (Number(status) < 300 ? [undefined] : codes.filter((code) => !crossCutting.has(code)))
        .map((code) => triple(id, Number(status), code))
        .filter((answer) => !seen.has(answer)),
    ),
  );

/** Responses about the sources of a database, which a separate test file covers. */
export const sourceResponses: readonly string[] = (
  ["projects.databases.create", "databases.create"] as const
).flatMap((operationId) => [
  triple(operationId, 404, "database:not_found"),
  triple(operationId, 404, "backup:not_found"),
  triple(operationId, 422, "database:source_not_ready"),
  triple(operationId, 422, "backup:unusable"),
]);

/** Returns an unknown id of the right form. */
export const nobody = (prefix: string): string => `${prefix}${"0".repeat(24)}`;
