import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cliClient } from "@mgmt/mock/server";
import type { Finding } from "../runner/bench.js";
import { goals } from "../runner/goals.js";
import { connectToRecords, startPlatform } from "../runner/platform-records.js";
import type { ServerProcess } from "../runner/server-process.js";

const sizes = [100, 100_000] as const;
const batch = 20;
const redirectUri = "http://127.0.0.1:51234/callback";
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const codeChallenge = createHash("sha256").update(verifier).digest("base64url");

/** `mgmt dev` with a given number of projects, branches, grants, refresh tokens, approvals, and pending jobs. */
class FilledPlatform {
  readonly #dataDir: string;
  #server: ServerProcess;
  #secret: string;
  #agentToken = "";
  #projectIds: string[] = [];
  #created: string[] = [];
  #codes: string[] = [];
  #refreshTokens: string[] = [];
  #gated = 0;

  private constructor(dataDir: string, server: ServerProcess, secret: string) {
    this.#dataDir = dataDir;
    this.#server = server;
    this.#secret = secret;
  }

  static async start(dataDir: string, size: number): Promise<FilledPlatform> {
    const server = await startPlatform(dataDir);
    try {
      const platform = new FilledPlatform(dataDir, server, await controlSecretOf(server));
      await platform.#fill(size);
      return platform;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get #baseUrl(): string {
    return String(this.#server.ready["baseUrl"]);
  }

  get #token(): string {
    return String(this.#server.ready["token"]);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  /** Returns the milliseconds from the start of the process to its ready line, on the rows that exist. */
  async timeRestart(): Promise<number> {
    await this.#server.stop();
    const started = performance.now();
    this.#server = await startPlatform(this.#dataDir);
    const time = performance.now() - started;
    this.#secret = await controlSecretOf(this.#server);
    return time;
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
    "projects.list, first page": () => this.#repeat(() => this.#send(200, "GET", "/v1/projects?limit=10")),
    "control surface: token of a user": () =>
      this.#repeat(() => this.#control("POST", "/tokens", { kind: "user" })),
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
    const client = await connectToRecords(this.#dataDir, this.#server);
    try {
      for (const [table, reference] of Object.entries(references)) {
        const { rowCount } = await client.query(copyRows(table, reference), [size]);
        assert.equal(rowCount, size, table);
      }
      await client.query(pendingJobs, [size]);
      await client.query("analyze");
      const { rows } = await client.query<{ id: string }>(
        "select id from mgmt.projects order by seq desc limit 100",
      );
      this.#projectIds = rows.map(({ id }) => id);
    } finally {
      await client.end();
    }
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

const controlSecretOf = ({ ready }: ServerProcess): Promise<string> =>
  readFile(String(ready["controlSecretFile"]), "utf8");

/** The tables that are filled, with the field that refers to a row of another one. */
const references: Readonly<Record<string, string | undefined>> = {
  projects: undefined,
  branches: "projectId",
  approvals: "projectId",
  grants: undefined,
  refresh_tokens: "grantId",
  authorization_codes: "grantId",
};

/** Returns the statement that adds copies of the newest row of a table. Each refers to the copy of the other row that has the same number. */
const copyRows = (table: string, reference: string | undefined): string => `
  insert into mgmt.${table} (id, doc)
  select left(id, -8) || number, doc
    || jsonb_build_object('id', left(id, -8) || number)
    ${reference === undefined ? "" : `|| jsonb_build_object('${reference}', left(doc->>'${reference}', -8) || number)`}
    ${table === "approvals" ? "|| jsonb_build_object('requestDigest', 'digest ' || number)" : ""}
  from (select id, doc from mgmt.${table} order by seq desc limit 1) newest,
    lateral (select lpad(index::text, 8, '0') as number from generate_series(1, $1::integer) index) numbers`;

/** Jobs that are due in an hour. */
const pendingJobs = `
  insert into mgmt.jobs (id, doc)
  select id, jsonb_build_object('id', id, 'createdAt', 0, 'kind', 'database.provision', 'owner', null,
    'subject', 'db_' || id, 'dueAt', extract(epoch from now()) * 1000 + 3600000)
  from (select 'job_bench' || index as id from generate_series(1, $1::integer) index) jobs`;

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
    const restarts: Record<"small" | "large", number[]> = { small: [], large: [] };
    for (let round = -1; round < rounds; round += 1) {
      const times = { small: await small.timeRestart(), large: await large.timeRestart() };
      if (round >= 0) restarts.small.push(times.small);
      if (round >= 0) restarts.large.push(times.large);
    }
    series.set("start", restarts);
    const nameOf = (size: number): string => `${size.toLocaleString("en")} rows`;
    return [...series].map(([name, times]): Finding => ({
      title: `${name}, mgmt dev`,
      subject: { name: nameOf(sizes[1]), unit: "ms", rounds: times.large },
      baseline: { name: nameOf(sizes[0]), unit: "ms", rounds: times.small },
      goal: goals.growth,
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
