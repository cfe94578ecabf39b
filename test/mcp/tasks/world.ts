import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as PgClient } from "pg";
import { Canaries } from "../../secrets-e2e/canaries.js";
import { harvest } from "../../secrets-e2e/harvest.js";
import { type Evidence, type Leak, scan } from "../../secrets-e2e/scan.js";
import { type DevProcess, startDev } from "../../security/dev-process.js";
import { runCommand } from "../../security/run-command.js";
import type { Recorder } from "../raw-client.js";

/** A request in the log of the service. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly operationId: string | null;
  readonly status: number | null;
  readonly principal: { readonly kind: string } | null;
}

/** `mgmt dev`, the profile of an agent, and everything that a client of `mgmt mcp` has seen. */
export class World {
  readonly canaries = new Canaries();
  readonly evidence: Evidence[] = [];
  readonly record: Recorder = (where, text) => this.evidence.push({ where, text });
  #controlSecret = "";
  #folderCount = 0;

  private constructor(
    readonly dev: DevProcess,
    readonly root: string,
  ) {}

  static async start(): Promise<World> {
    const world = new World(await startDev(), realpathSync(mkdtempSync(join(tmpdir(), "mgmt-tasks-"))));
    const { ready, configDir } = world.dev;
    world.#controlSecret = readFileSync(ready.controlSecretFile, "utf8").trim();
    world.canaries.add("control secret", world.#controlSecret);
    world.canaries.add("token", ready.token);
    const { status } = await runCommand("dev agent", {
      cwd: world.root,
      env: { MGMT_CONFIG_DIR: configDir },
    });
    if (status !== 0) throw new Error("mgmt dev agent has failed");
    for (const name of readdirSync(configDir)) {
      if (name.endsWith(".json"))
        harvest(JSON.parse(readFileSync(join(configDir, name), "utf8")), world.canaries);
    }
    return world;
  }

  /** Environment of the servers. */
  get env(): Readonly<Record<string, string>> {
    return { MGMT_CONFIG_DIR: this.dev.configDir, XDG_STATE_HOME: join(this.root, "state") };
  }

  /** Returns a new workspace folder. */
  makeFolder(): string {
    this.#folderCount += 1;
    const folder = join(this.root, `app-${String(this.#folderCount)}`);
    mkdirSync(folder);
    return folder;
  }

  /** Calls the control surface. */
  async control<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    return this.#fetch<T>(`${this.dev.ready.controlUrl}${path}`, method, body, {
      "x-mgmt-control-secret": this.#controlSecret,
    });
  }

  /** Calls the API as the owner. */
  async api<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    const { baseUrl, token } = this.dev.ready;
    return this.#fetch<T>(`${baseUrl}${path}`, method, body, { authorization: `Bearer ${token}` });
  }

  async #fetch<T>(
    url: string,
    method: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<T> {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${url}: ${String(response.status)} ${text}`);
    // The callers name the fields that they use.
    const json = (text === "" ? undefined : JSON.parse(text)) as T;
    harvest(json, this.canaries);
    return json;
  }

  /** Returns a list of the API. */
  async list(path: string): Promise<readonly Record<string, unknown>[]> {
    return (await this.api<{ data: readonly Record<string, unknown>[] }>("GET", path)).data;
  }

  requests(): Promise<LoggedRequest[]> {
    return this.control("GET", "/requests");
  }

  /** Remembers the secrets that the service has now. */
  async harvestSecrets(): Promise<void> {
    harvest(await this.control("GET", "/snapshot"), this.canaries);
  }

  /** Returns the secrets in what clients have seen, in the audit file, and in what the server remembers of calls. */
  findLeaks(): Leak[] {
    const state = join(this.root, "state");
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const texts = files.map(({ parentPath, name }) => ({
      where: name,
      text: readFileSync(join(parentPath, name), "utf8"),
    }));
    return scan([...this.evidence, ...texts], this.canaries);
  }

  async stop(): Promise<void> {
    await this.dev.stop();
    rmSync(this.root, { recursive: true });
  }
}

/** Returns the value of a variable of an env file; undefined if it has none. */
export const readVariable = (path: string, name: string): string | undefined => {
  try {
    return new RegExp(`^${name}="([^"]+)"`, "m").exec(readFileSync(path, "utf8"))?.[1];
  } catch {
    return undefined;
  }
};

/** Opens a database, and returns its name. */
export const connectTo = async (url: string): Promise<string> => {
  const address = new URL(url);
  address.searchParams.delete("sslmode");
  const client = new PgClient({ connectionString: address.href, ssl: { rejectUnauthorized: false } });
  await client.connect();
  try {
    return (await client.query<{ name: string }>("SELECT current_database() AS name")).rows[0]?.name ?? "";
  } finally {
    await client.end();
  }
};
