import { AsyncLocalStorage } from "node:async_hooks";
import type { Me, MgmtClient, Middleware } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { resolveAccess } from "../profiles/resolve-access.js";
import { connect } from "../service/connect.js";
import type { Redactor } from "./redactor.js";

/** The requests that a tool call has sent. */
export interface CallRecord {
  /** Whether changes are recorded rather than sent. */
  readonly isDryRun: boolean;
  readonly plannedRequests: PlannedChange[];
  /** Id of the last request, which the log of the service has too. */
  requestId: string | null;
}

/** A change that a dry run did not send. */
export interface PlannedChange {
  readonly method: string;
  /** `/v1/databases/db_…` */
  readonly path: string;
  readonly body?: unknown;
}

/** Thrown in a dry run instead of sending a change. */
export class ChangeNotSentError extends Error {}

/** The service, and the credential that the server has for it. Both are looked up when the first call needs them. */
export class ServiceSession {
  readonly #calls = new AsyncLocalStorage<CallRecord>();
  #client: Promise<MgmtClient> | undefined;
  #caller: Promise<Me> | undefined;
  readonly #closed = new AbortController();

  constructor(
    private readonly flags: GlobalFlags,
    private readonly context: Context,
    private readonly redactor: Redactor,
  ) {}

  /** Runs a call, and records the requests that it sends. */
  run<T>(record: CallRecord, call: () => Promise<T>): Promise<T> {
    return this.#calls.run(record, call);
  }

  /** Whether the current call only records the changes that it would send. */
  get isDryRun(): boolean {
    return this.#calls.getStore()?.isDryRun ?? false;
  }

  /** Returns a client of the service. Throws the errors of `connect`. */
  async getClient(): Promise<MgmtClient> {
    this.#client ??= connect(this.flags, this.context, { middleware: [this.#observe] });
    try {
      return await this.#client;
    } catch (error) {
      // The user may log in meanwhile.
      this.#client = undefined;
      throw error;
    }
  }

  /** Returns whose credential the server has. */
  async getCaller(): Promise<Me> {
    const signal = AbortSignal.any([this.context.signal, this.#closed.signal]);
    this.#caller ??= this.getClient().then((client) => client.me.get({ signal }));
    try {
      return await this.#caller;
    } catch (error) {
      this.#caller = undefined;
      throw error;
    }
  }

  /** Returns the URL of the service; empty if none is configured. */
  async getOrigin(): Promise<string> {
    return (await resolveAccess(this.flags, this.context)).baseUrl?.value ?? "";
  }

  /** Aborts the request that calls share, which would keep the process running. */
  close(): void {
    this.#closed.abort();
  }

  /** Returns whether the credential belongs to an agent, whose sponsor has to approve irreversible changes. */
  async isAgent(): Promise<boolean> {
    return (await this.getCaller()).credential.type === "agent_token";
  }

  readonly #observe: Middleware = async (request, next) => {
    const { headers, body, method, url } = request;
    this.redactor.addSecretsOfMessage(headers, body);
    const record = this.#calls.getStore();
    if (record?.isDryRun && method !== "GET") {
      const { pathname, search } = new URL(url);
      const parsedBody: unknown = body === undefined ? undefined : JSON.parse(body);
      record.plannedRequests.push({
        method,
        path: pathname + search,
        ...(parsedBody !== undefined && { body: parsedBody }),
      });
      throw new ChangeNotSentError();
    }
    const response = await next(request);
    this.redactor.addSecretsOfMessage(response.headers, response.body);
    if (record) record.requestId = response.headers["x-request-id"] ?? null;
    return response;
  };
}
