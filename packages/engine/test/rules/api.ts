import { ReferenceEngine } from "../../src/composition/reference-engine.js";
import { type OperationId, operations } from "../../src/generated/operations.js";
import type {
  DatabaseWithSecrets,
  ProjectDatabase,
  ProjectWithDatabase,
} from "../../src/generated/schemas.js";
import type { Responses } from "./responses.js";
import { ModelDatabases } from "./model-databases.js";

/** Whose credential a request carries. `stranger` is the owner of another workspace. */
export type Who = "user" | "service" | "agent" | "stranger";

export interface Asked {
  path?: Record<string, string>;
  query?: Record<string, string | number> | string;
  body?: unknown;
  /** Default: `user`. */
  as?: Who;
  /** A token in place of `as`. */
  token?: string;
}

export interface Reply {
  status: number;
  code: string | undefined;
  body: unknown;
}

/** What a test expects of a refusal. */
export interface Refusal {
  status: number;
  code: string;
}

/** A server with a frozen clock, two workspaces and a database engine that can be made to fail. */
export class Api {
  readonly databases = new ModelDatabases();
  /** What went wrong inside the server: a 500 that no test asked for is one. */
  readonly defects: unknown[] = [];
  readonly engine: ReferenceEngine;
  #tokens: Record<Who, string> | undefined;

  constructor() {
    this.engine = new ReferenceEngine({
      seed: "behaviors",
      databaseEngine: this.databases,
      validateResponses: true,
      onDefect: (error) => this.defects.push(error),
    });
  }

  get store() {
    return this.engine.store;
  }

  get workspaceId(): string {
    return this.engine.residents.workspace.id;
  }

  get strangerWorkspaceId(): string {
    return this.engine.residents.otherWorkspace.id;
  }

  /** Moves the clock on and does all work that falls due; long enough for any life cycle by default. */
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
    const reply = { status: response.status, code: codeOf(body), body };
    seen.add(triple(operationId, reply.status, reply.code));
    return reply;
  }

  /** The body of a success. */
  async ok<Id extends OperationId>(operationId: Id, asked: Asked = {}): Promise<Responses[Id]> {
    const { status, body } = await this.send(operationId, asked);
    if (status >= 300) {
      throw new Error(`${operationId} answered ${String(status)} ${JSON.stringify(body)}`, {
        cause: this.defects.at(-1),
      });
    }
    // The server holds its answers against the contract, which `Responses` names the parts of.
    return body as Responses[Id];
  }

  /** The status and code of a refusal, after which nothing may have changed. */
  async refused(operationId: OperationId, asked: Asked = {}): Promise<Refusal> {
    const { status, code } = await this.refusedWith(operationId, asked);
    return { status, code };
  }

  /** The same with all that the error says. */
  async refusedWith(
    operationId: OperationId,
    asked: Asked = {},
  ): Promise<Refusal & { error: Record<string, unknown> }> {
    await this.#tokenOf(asked.as ?? "user");
    const before = this.#state();
    const { status, code, body } = await this.send(operationId, asked);
    if (code === undefined) throw new Error(`${operationId} answered ${String(status)}: no refusal`);
    if (this.#state() !== before) throw new Error(`${operationId} answered ${code} and changed something`);
    if (code === "internal:error") this.defects.length = 0;
    // An error body of the contract, as `codeOf` has found.
    const { error } = body as { error: Record<string, unknown> };
    if (status === 422 && !Array.isArray(error["issues"])) throw new Error(`${code} has no issues`);
    return { status, code, error };
  }

  /** Paths of the issues of a 422. */
  async issues(operationId: OperationId, asked: Asked = {}): Promise<string[]> {
    const { status, code, error } = await this.refusedWith(operationId, asked);
    if (status !== 422) throw new Error(`${operationId} answered ${String(status)} ${code}`);
    // The contract's ValidationError has them.
    return (error["issues"] as { path: string }[]).map(({ path }) => path);
  }

  /** A new project with its default database, which is ready unless it is asked to stay `provisioning`. */
  async project(
    body: Record<string, unknown> = {},
    { as = "user", provisioning = false }: { as?: Who; provisioning?: boolean } = {},
  ): Promise<{ project: ProjectWithDatabase; database: ProjectDatabase }> {
    const { data: project } = await this.ok("projects.create", { body, as });
    if (!project.database) throw new Error("The project was asked to have no database");
    if (!provisioning) await this.later();
    return { project, database: project.database };
  }

  /** One more database of the project, ready unless it is asked to stay `provisioning`. */
  async database(
    projectId: string,
    body: Record<string, unknown> = {},
    { provisioning = false }: { provisioning?: boolean } = {},
  ): Promise<DatabaseWithSecrets> {
    const { data } = await this.ok("databases.create", { body: { projectId, ...body } });
    if (!provisioning) await this.later();
    return data;
  }

  async status(databaseId: string): Promise<string> {
    const { data } = await this.ok("databases.get", { path: { databaseId } });
    return data.status;
  }

  async #tokenOf(who: Who): Promise<string> {
    const mint = this.engine.tokens;
    // Signed to last, since tests move the clock; signing draws from the seeded generator, so all are signed at once.
    const expiresAt = this.engine.clock.now() + 365 * 86_400_000;
    this.#tokens ??= {
      user: await mint.user({ expiresAt }),
      stranger: await mint.otherUser({ expiresAt }),
      service: await mint.service(),
      agent: await mint.agent({ expiresAt }),
    };
    return this.#tokens[who];
  }

  #state(): string {
    const { store, jobs } = this.engine.snapshot();
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

/** Responses that do not depend on the operation, and are proved for all of them at once elsewhere. */
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

/** What the contract lists for these operations and no test of this file has been answered. */
export const unseenResponses = (...operationIds: OperationId[]): string[] =>
  operationIds.flatMap((id) =>
    Object.entries(operations[id].responses).flatMap(([status, codes]) =>
      (Number(status) < 300 ? [undefined] : codes.filter((code) => !crossCutting.has(code)))
        .map((code) => triple(id, Number(status), code))
        .filter((answer) => !seen.has(answer)),
    ),
  );

/** Responses about what a new database is filled from, which have a file of tests of their own. */
export const sourceResponses: readonly string[] = (
  ["projects.databases.create", "databases.create"] as const
).flatMap((operationId) => [
  triple(operationId, 404, "database:not_found"),
  triple(operationId, 404, "backup:not_found"),
  triple(operationId, 422, "database:source_not_ready"),
  triple(operationId, 422, "backup:unusable"),
]);

/** An id of the right form that names nothing. */
export const nobody = (prefix: string): string => `${prefix}${"0".repeat(24)}`;
