import {
  type EngineRequest,
  type OperationId,
  StoredEngine,
  type StoredEngineOptions,
  operations,
} from "@mgmt/engine";
import { afterEach, describe, expect, it } from "vitest";
import type { OpenRecords } from "../../src/store/open-records.js";
import { StoreCluster } from "./store-cluster.js";

const cluster = new StoreCluster();

/** Engines and records that the test has opened. */
const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A server of some records, as one process is. */
class Process {
  #token: string | undefined;

  private constructor(
    readonly engine: StoredEngine,
    readonly records: OpenRecords,
  ) {}

  static async open(schema: string, options: Partial<StoredEngineOptions> = {}): Promise<Process> {
    const records = await cluster.openRecords(schema);
    const defects: unknown[] = [];
    const engine = await StoredEngine.open({
      records,
      validateResponses: true,
      onDefect: (error) => defects.push(error),
      ...options,
    });
    const process = new Process(engine, records);
    engine.start();
    opened.push(async () => {
      await engine.stop();
      await records.close();
      expect(defects).toEqual([]);
    });
    return process;
  }

  async send(operationId: OperationId, path: Record<string, string> = {}, body?: object) {
    this.#token ??= await this.engine.tokens.user();
    const operation = operations[operationId];
    const request: EngineRequest = {
      method: operation.method,
      path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? ""),
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    };
    const response = await this.engine.handle(request);
    const parsed = JSON.parse(response.body ?? "{}") as { data: { id: string; status: string } };
    return { status: response.status, headers: response.headers, data: parsed.data };
  }
}

describe("a server in Postgres", () => {
  it("keeps its rows, keys and jobs for the next process", async () => {
    const schema = cluster.newSchema();
    const first = await Process.open(schema);
    expect(first.engine.isNew).toBe(true);
    const token = await first.engine.tokens.user();
    const { data } = await first.send("projects.create", {}, { name: "shop" });
    const second = await Process.open(schema);
    expect(second.engine.isNew).toBe(false);
    const response = await second.engine.handle({
      method: "GET",
      path: `/v1/projects/${data.id}`,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
  });
});
