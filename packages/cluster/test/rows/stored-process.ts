import { type EngineRequest, type OperationId, operations } from "@mgmt/engine";
import { StoredServer, type StoredServerOptions } from "@mgmt/engine/internal";
import { expect, onTestFinished } from "vitest";
import type { OpenRecords } from "../../src/rows/open-records.js";
import type { RecordKeys } from "../../src/rows/record-keys.js";
import type { StoreCluster } from "./store-cluster.js";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string | undefined;
  readonly text: string;
  /** The `data` of a success. */
  readonly data: Record<string, unknown> & { readonly id: string };
}

/** An engine with connections of its own, as one process of several has. It is closed when the test ends. */
export class StoredProcess {
  #token: Promise<string> | undefined;
  #isClosed = false;

  private constructor(
    readonly engine: StoredServer,
    readonly records: OpenRecords,
    /** Unexpected errors, which fail the test. */
    readonly defects: unknown[],
  ) {}

  static async open(
    cluster: StoreCluster,
    schema: string,
    {
      keys,
      onLog,
      ...options
    }: Partial<StoredServerOptions> & {
      isStarted?: boolean;
      keys?: RecordKeys;
      onLog?: (line: string) => void;
    } = {},
  ): Promise<StoredProcess> {
    const records = await cluster.openRecords(schema, keys, onLog);
    const defects: unknown[] = [];
    const engine = await StoredServer.open({
      records,
      validateResponses: true,
      onDefect: (error) => defects.push(error),
      ...options,
    });
    if (options.isStarted !== false) engine.start();
    const process = new StoredProcess(engine, records, defects);
    onTestFinished(async () => {
      await process.close();
      expect(defects).toEqual([]);
    });
    return process;
  }

  async send(
    operationId: OperationId,
    {
      path = {},
      query = "",
      body,
      token,
    }: { path?: Record<string, string>; query?: string; body?: object; token?: string } = {},
  ): Promise<Reply> {
    const operation = operations[operationId];
    const request: EngineRequest = {
      method: operation.method,
      path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "") + query,
      headers: {
        authorization: `Bearer ${token ?? (await this.#ownToken())}`,
        "content-type": "application/json",
      },
      body: body && JSON.stringify(body),
    };
    const { status, headers, body: text = "" } = await this.engine.handle(request);
    // The engine checks its responses against the contract.
    const parsed = (text === "" ? {} : JSON.parse(text)) as {
      data: Reply["data"];
      error?: { code: string };
    };
    return { status, headers, code: parsed.error?.code, text, data: parsed.data };
  }

  /** Removes the expected errors with this message. */
  forget(message: string): void {
    const others = this.defects.filter((defect) => !String(defect).includes(message));
    this.defects.splice(0, this.defects.length, ...others);
  }

  #ownToken(): Promise<string> {
    this.#token ??= this.engine.tokens.user({ expiresAt: "2100-01-01" });
    return this.#token;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.engine.stop();
    await this.records.close();
  }
}

/** Opens two processes on the same records. */
export const openTwo = async (
  cluster: StoreCluster,
  options: Parameters<typeof StoredProcess.open>[2] = {},
) => {
  const schema = cluster.newSchema();
  const first = await StoredProcess.open(cluster, schema, options);
  const second = await StoredProcess.open(cluster, schema, options);
  return { first, second, schema };
};

/** Creates a project and returns the id of its database. */
export const createDatabase = async (process: StoredProcess): Promise<string> => {
  const { data } = await process.send("projects.create", { body: { name: "shop" } });
  // The contract's project has its default database.
  return (data["database"] as { id: string }).id;
};
