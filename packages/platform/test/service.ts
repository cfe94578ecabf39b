import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { ServeSettings } from "../src/serve/config-schema.js";
import { type InitializedService, initializeService } from "../src/serve/operator.js";
import { type RunningService, startServe } from "../src/serve/start-serve.js";
import { Cluster, adminPassword } from "./cluster.js";

/** A service on a Postgres server that others also use, shared by all tests of a file. */
export class TestService {
  readonly cluster = new Cluster({}, { user: "renter" });
  readonly #servers: RunningService[] = [];
  /** Lines of the logs of all servers. */
  readonly log: Record<string, unknown>[] = [];
  #initialized: InitializedService | undefined;

  /** @param initializes whether the service exists before the tests. Default: it does. */
  constructor({ initializes = true } = {}) {
    beforeAll(async () => {
      await this.cluster.closeDatabases();
      const admin = await this.connect("postgres", "postgres");
      // The login of a service has no databases of others.
      await admin.query(`
        create role service login createdb createrole password '${adminPassword}';
        grant pg_signal_backend to service;
        grant connect on database postgres to service`);
      await admin.end();
      if (!initializes) return;
      this.#initialized = await initializeService(this.settings, {
        workspaceName: "Analytical Engines",
        ownerEmail: "ada@example.com",
      });
    });
    afterEach(() => this.stopAll());
    afterAll(() => rm(this.settings.keyFile, { force: true }));
  }

  get initialized(): InitializedService {
    if (this.#initialized === undefined) throw new Error("The service is not initialized");
    return this.#initialized;
  }

  get settings(): ServeSettings {
    return {
      databaseUrl: this.buildUrl("service"),
      keyFile: join(this.cluster.directory, "service-keys"),
      listen: "127.0.0.1:0",
      baseUrl: "https://api.example.com",
      drainSeconds: 0,
    };
  }

  buildUrl(database: string, user = "service", password = adminPassword): string {
    return `postgres://${user}:${password}@127.0.0.1:${String(this.cluster.options.port)}/${database}`;
  }

  async connect(database: string, user?: string): Promise<Client> {
    const client = new Client({ connectionString: this.buildUrl(database, user) });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  async start(settings: Partial<ServeSettings> = {}): Promise<RunningService> {
    const server = await startServe(
      { ...this.settings, ...settings },
      { write: (line) => void this.log.push(JSON.parse(line)), heartbeatIntervalMs: 200 },
    );
    this.#servers.push(server);
    return server;
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.stop()));
  }

  /** Sends a request with the token of the service. */
  async call(
    { address }: RunningService,
    method: string,
    path: string,
    { body, headers, token = this.initialized.token.value }: CallOptions = {},
  ): Promise<{ status: number; json: Record<string, unknown>; text: string }> {
    const response = await fetch(address + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        connection: "close",
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: text.startsWith("{") ? JSON.parse(text) : {} };
  }
}

interface CallOptions {
  body?: object;
  headers?: Record<string, string>;
  token?: string;
}
