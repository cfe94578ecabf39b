import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cliClient } from "@mgmt/mock/server";
import type { Finding } from "../runner/bench.js";
import { mgmtProgram } from "../runner/paths.js";
import { type ServerProcess, startServerProcess } from "../runner/server-process.js";

const sizes = [100, 100_000] as const;
const batch = 20;
const redirectUri = "http://127.0.0.1:51234/callback";
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const codeChallenge = createHash("sha256").update(verifier).digest("base64url");

/** A row of a snapshot with its sequence number. */
type Numbered = [number, Record<string, unknown>];

interface Snapshot {
  readonly store: Record<string, { next: number; rows: Numbered[] }>;
}

/** `mgmt dev` with a given number of projects, branches, grants, refresh tokens and approvals. */
class FilledPlatform {
  readonly #server: ServerProcess;
  readonly #baseUrl: string;
  readonly #secret: string;
  #token = "";
  #agentToken = "";
  #projectIds: string[] = [];
  #created: string[] = [];
  #codes: string[] = [];
  #refreshTokens: string[] = [];
  #gated = 0;

  private constructor(server: ServerProcess, secret: string) {
    this.#server = server;
    this.#baseUrl = String(server.ready["baseUrl"]);
    this.#token = String(server.ready["token"]);
    this.#secret = secret;
  }

  static async start(dataDir: string, size: number): Promise<FilledPlatform> {
    const parameters = ["dev", "--data-dir", dataDir, "--port", "0", "--output", "json"];
    const server = await startServerProcess([mgmtProgram, ...parameters]);
    try {
      const secret = await readFile(String(server.ready["controlSecretFile"]), "utf8");
      const platform = new FilledPlatform(server, secret);
      await platform.#fill(size);
      return platform;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  /** The operations in their order in each round: later ones use what earlier ones have created. */
  readonly operations: Readonly<Record<string, () => Promise<unknown>>> = {
    "projects.create": () => this.#repeat(async () => this.#created.push(await this.#create("new"))),
    "projects.delete": () =>
      this.#repeat(() => this.#send(204, "DELETE", `/v1/projects/${this.#created.pop() ?? ""}`)),
    "projects.delete by an agent, awaiting approval": () =>
      this.#repeat(() => {
        const id = this.#projectIds[this.#gated++ % this.#projectIds.length] ?? "";
        return this.#send(403, "DELETE", `/v1/projects/${id}`, undefined, this.#agentToken);
      }),
    login: () =>
      this.#repeat(async () => {
        const fields = {
          grant_type: "authorization_code",
          redirect_uri: redirectUri,
          code_verifier: verifier,
        };
        this.#refreshTokens.push(await this.#tokens({ ...fields, code: this.#codes.pop() ?? "" }));
      }),
    "token refresh": () =>
      this.#repeat(() =>
        this.#tokens({ grant_type: "refresh_token", refresh_token: this.#refreshTokens.pop() ?? "" }),
      ),
  };

  /** Does what a round needs and does not measure. */
  async prepare(): Promise<void> {
    this.#codes = [];
    for (let index = 0; index < batch; index += 1) this.#codes.push(await this.#consent());
  }

  async #repeat(work: () => Promise<unknown>): Promise<void> {
    for (let index = 0; index < batch; index += 1) await work();
  }

  /** Creates one row of each kind through the API, and loads a snapshot with copies of them. */
  async #fill(size: number): Promise<void> {
    const projectId = await this.#create("first");
    ({ token: this.#agentToken } = await this.#control<{ token: string }>("POST", "/tokens", {
      kind: "agent",
    }));
    await this.#send(403, "DELETE", `/v1/projects/${projectId}`, undefined, this.#agentToken);
    this.#codes = [await this.#consent()];
    const code = this.#codes[0] ?? "";
    await this.#tokens({
      ...{ grant_type: "authorization_code", redirect_uri: redirectUri, code_verifier: verifier },
      code,
    });
    const snapshot = await this.#control<Snapshot>("GET", "/snapshot");
    for (const name of Object.keys(references)) copyRows(snapshot, name, size);
    this.#projectIds = (snapshot.store["projects"]?.rows ?? []).map(([, row]) => String(row["id"]));
    await this.#control("PUT", "/snapshot", snapshot);
  }

  async #create(name: string): Promise<string> {
    const { data } = await this.#send<{ data: { id: string } }>(201, "POST", "/v1/projects", {
      name,
      createDatabase: false,
    });
    return data.id;
  }

  async #consent(): Promise<string> {
    const scope = "workspace:admin offline_access";
    const { code } = await this.#control<{ code: string }>("POST", "/oauth/consent", {
      ...{ redirectUri, codeChallenge, scope },
    });
    return code;
  }

  /** Returns the refresh token. */
  async #tokens(fields: Record<string, string>): Promise<string> {
    const response = await fetch(`${this.#baseUrl}/token`, {
      method: "POST",
      body: new URLSearchParams({ client_id: cliClient.id, ...fields }),
    });
    const body = await response.text();
    assert.equal(response.status, 200, body);
    const tokens: { refresh_token: string } = JSON.parse(body);
    return tokens.refresh_token;
  }

  async #send<T>(
    status: number,
    method: string,
    path: string,
    body?: object,
    token = this.#token,
  ): Promise<T> {
    const response = await fetch(this.#baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, status, text);
    const value: T = JSON.parse(text || "null");
    return value;
  }

  async #control<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.#baseUrl}/_control${path}`, {
      method,
      headers: { "x-mgmt-control-secret": this.#secret, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, text);
    const value: T = JSON.parse(text || "null");
    return value;
  }
}

/** The collections that are filled, with the field that refers to a row of another one. */
const references: Readonly<Record<string, string | undefined>> = {
  projects: undefined,
  branches: "projectId",
  approvals: "projectId",
  grants: undefined,
  refreshTokens: "grantId",
  authorizationCodes: "grantId",
};

/** Adds copies of the newest row of a collection. Each refers to the copy of the other row that has the same number. */
const copyRows = ({ store }: Snapshot, name: string, count: number): void => {
  const collection = store[name];
  const row = collection?.rows.at(-1)?.[1];
  assert.ok(collection && row, `The snapshot has no row in ${name}`);
  const reference = references[name];
  for (let index = 0; index < count; index += 1) {
    const number = index.toString(36).padStart(8, "0");
    const numbered = (field: string): string => String(row[field]).slice(0, -8) + number;
    const copy = {
      ...row,
      id: numbered("id"),
      ...(reference !== undefined && { [reference]: numbered(reference) }),
      ...("requestDigest" in row && { requestDigest: `digest ${number}` }),
    };
    collection.rows.push([collection.next, copy]);
    collection.next += 1;
  }
};

/** Measures whole requests to `mgmt dev`, one after the other. They include the work of Postgres. */
export const platformGrowth = async (rounds: number): Promise<Finding[]> => {
  const directory = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
  const platforms: FilledPlatform[] = [];
  try {
    for (const size of sizes) {
      platforms.push(await FilledPlatform.start(join(directory, String(size)), size));
    }
    const [small, large] = platforms;
    assert.ok(small && large);
    const series = new Map<string, Record<"small" | "large", number[]>>();
    for (let round = -2; round < rounds; round += 1) {
      await small.prepare();
      await large.prepare();
      for (const name of Object.keys(small.operations)) {
        const times = { small: await timed(small, name), large: await timed(large, name) };
        const known = series.get(name) ?? { small: [], large: [] };
        series.set(name, known);
        if (round >= 0) known.small.push(times.small);
        if (round >= 0) known.large.push(times.large);
      }
    }
    const nameOf = (size: number): string => `${size.toLocaleString("en")} rows`;
    return [...series].map(([name, times]): Finding => ({
      title: `${name}, mgmt dev`,
      subject: { name: nameOf(sizes[1]), unit: "ms", rounds: times.large },
      baseline: { name: nameOf(sizes[0]), unit: "ms", rounds: times.small },
      goal: { of: "ratio", relation: "≤", limit: 2 },
    }));
  } finally {
    await Promise.all(platforms.map((platform) => platform.stop()));
    await rm(directory, { recursive: true, force: true });
  }
};

/** Returns the mean milliseconds of one operation in a batch. */
const timed = async (platform: FilledPlatform, name: string): Promise<number> => {
  const started = performance.now();
  await platform.operations[name]?.();
  return (performance.now() - started) / batch;
};
