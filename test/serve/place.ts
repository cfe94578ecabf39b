import { afterAll, afterEach, beforeAll } from "vitest";
import type { Client } from "pg";
import type { ServeSettings } from "../../packages/platform/src/serve/config-schema.js";
import { runAsOperator } from "../../packages/platform/src/serve/operator.js";
import { bundleProgram } from "../../packages/platform/test/platform-process.js";
import { TestService } from "../../packages/platform/test/service.js";
import type { LoadTarget } from "../crash/mgmt-dev.js";
import { type Objects, makeForeign, readObjects } from "../crash/postgres-objects.js";
import { type Answer, sendRequest } from "../crash/request.js";
import { RoundRobinProxy } from "./proxy.js";
import { ServerProcess } from "./server-process.js";

/** Whether everything is tested, which takes an hour. Otherwise the part that every change has to pass. */
export const isFull = process.env["MGMT_SERVE_FULL"] !== undefined;

/** A service on a Postgres server of others, with servers behind a proxy. All tests of a file share it. */
export class ServePlace implements LoadTarget {
  readonly service = new TestService();
  readonly #proxy = new RoundRobinProxy();
  #program = "";
  #before: Objects | undefined;
  readonly servers: ServerProcess[] = [];
  /** Service tokens of two workspaces. */
  tokens: readonly [string, string] = ["", ""];
  /** A service issues no tokens of users. */
  readonly userTokens = ["none", "none"] as const;

  constructor() {
    beforeAll(async () => {
      this.#program = await bundleProgram(this.service.cluster.directory, "../../../test/serve/run-server");
      await this.#proxy.start();
      const admin = await this.connectAsAdmin();
      await makeForeign(admin);
      await admin.end();
      const other = await runAsOperator(this.settings, async (operator) => {
        const { id } = await operator.createWorkspace("Difference Engines", "charles@example.com");
        return operator.createToken(id, "other");
      });
      this.tokens = [this.service.initialized.token.value, other.value];
    });
    afterEach(() => this.stopAll());
    afterAll(() => this.#proxy.close());
  }

  get settings(): ServeSettings {
    return { ...this.service.settings, limits: { requests: null } };
  }

  /** URL of the proxy. */
  get address(): string {
    return this.#proxy.address;
  }

  /** What Postgres has before the first request. */
  get before(): Objects {
    if (this.#before === undefined) throw new Error("No server has been started");
    return this.#before;
  }

  /** Starts a server that is not behind the proxy. */
  startAlone(
    settings: Partial<ServeSettings> = {},
    environment: Record<string, string> = {},
  ): Promise<ServerProcess> {
    return ServerProcess.start(this.#program, { ...this.settings, ...settings }, environment).then(
      (server) => {
        this.servers.push(server);
        return server;
      },
    );
  }

  /** Starts a server behind the proxy. */
  async start(): Promise<ServerProcess> {
    const server = await this.startAlone();
    this.#before ??= await readObjects(this);
    this.#proxy.targets = this.servers.filter(({ isRunning }) => isRunning).map(({ address }) => address);
    return server;
  }

  async startTwo(): Promise<[ServerProcess, ServerProcess]> {
    return [await this.start(), await this.start()];
  }

  /** Starts a server in the place of one that was killed. */
  async replace(server: ServerProcess): Promise<ServerProcess> {
    this.servers.splice(this.servers.indexOf(server), 1);
    return this.start();
  }

  async stopAll(): Promise<void> {
    this.#proxy.targets = [];
    await Promise.all(
      this.servers.splice(0).map((server) => {
        server.signal("SIGCONT");
        return server.end("SIGTERM");
      }),
    );
  }

  /** Calls the API through the proxy. */
  call(token: string, method: string, path: string, body?: object): Promise<Answer> {
    return sendRequest(this.address + path, method, { authorization: `Bearer ${token}` }, body);
  }

  /** A service has no control surface. */
  control(): Promise<Answer> {
    return Promise.resolve({ status: 404, body: {}, hasRetryAfter: false });
  }

  connectAsAdmin(): Promise<Client> {
    return this.service.connect("service", "postgres");
  }
}
