import { createHash, randomBytes } from "node:crypto";
import { type EngineResponse, MemoryServer, cliClient } from "@mgmt/mock/server";
import { type GrowthOperation, type GrowthServer, type Spent, serveCalls } from "./calls.js";
import { processorTime } from "./processor-time.js";

const year = 365 * 24 * 3_600_000;
const redirectUri = "http://127.0.0.1:51234/callback";
/** RFC 7636, appendix B. */
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const codeChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** One operation: its setup before each batch, the timed calls, and its cleanup. */
interface Scenario {
  readonly batch: number;
  prepare?(count: number): unknown;
  run(index: number): unknown;
  restore?(): unknown;
}

/** A server with `size` projects, databases, connections, branches, grants, refresh tokens, approvals and jobs. */
class GrowingServer {
  readonly #engine = new MemoryServer({
    deterministic: "growth",
    // No job of the fixture falls due while the bench runs.
    settings: { lifecycle: { provisioning: year, deploymentStart: 1, deploymentStop: 1 } },
  });
  readonly #size: number;
  readonly #projectIds: string[] = [];
  readonly #databaseIds: string[] = [];
  readonly #branchIds: string[] = [];
  #token = "";
  #agentToken = "";
  #lastPage = "";
  #deploymentId = "";
  /** Rows that a batch adds, or secrets that it uses. */
  #added: string[] = [];
  #draws = 1;

  constructor(size: number) {
    this.#size = size;
  }

  async fill(): Promise<void> {
    const { tokens, clock, store, defaults, seed } = this.#engine;
    const expiresAt = clock.now() + year;
    this.#token = await tokens.user({ expiresAt });
    this.#agentToken = await tokens.agent({ expiresAt });
    const stranger = await tokens.otherUser({ expiresAt });
    for (let index = 0; index < this.#size; index += 1) {
      await this.#create(`p${String(index)}`, this.#token);
      if (index % 10 === 0) await this.#create(`p${String(index)}`, stranger);
    }
    const workspaceId = defaults.workspace.id;
    for (const { id } of store.projects.list({ workspaceId })) this.#projectIds.push(id);
    for (const { id } of store.databases.list({ workspaceId })) this.#databaseIds.push(id);
    for (const projectId of this.#projectIds) {
      this.#branchIds.push(store.branches.find({ projectId })?.id ?? "");
    }
    await this.#login(await this.#consent());
    this.#fillGrants();
    this.#fillApprovals();
    this.#lastPage = await this.#findLastPage(10);
    // The project of the deployment cannot be deleted, so no other operation uses it.
    const app = await seed.app(this.#projectIds.shift() ?? "");
    this.#deploymentId = (await seed.deployment(app.id)).id;
  }

  async time(operation: GrowthOperation): Promise<Spent> {
    const { batch, prepare, run, restore } = this.#scenarios[operation];
    this.#added = [];
    await prepare?.(batch);
    const before = processorTime();
    const started = performance.now();
    for (let index = 0; index < batch; index += 1) await run(index);
    const elapsed = performance.now() - started;
    const used = processorTime() - before;
    await restore?.();
    return {
      microseconds: (elapsed / batch) * 1_000,
      processorMicroseconds: (used / batch) * 1_000_000,
    };
  }

  rows(): number {
    return this.#engine.store.projects.count({ workspaceId: this.#engine.defaults.workspace.id });
  }

  readonly #scenarios: Readonly<Record<GrowthOperation, Scenario>> = {
    "projects.create with a logicalId": {
      batch: 100,
      run: async (index) => this.#added.push(await this.#create(`new${String(index)}`, this.#token)),
      restore: async () => {
        for (const id of this.#added) await this.#ask(204, "DELETE", `/v1/projects/${id}`);
      },
    },
    "projects.delete": {
      batch: 100,
      prepare: async (count) => {
        for (let index = 0; index < count; index += 1) {
          this.#added.push(await this.#create(`new${String(index)}`, this.#token));
        }
      },
      run: (index) => this.#ask(204, "DELETE", `/v1/projects/${this.#added[index] ?? ""}`),
    },
    "projects.get": {
      batch: 300,
      run: () => this.#ask(200, "GET", `/v1/projects/${this.#any(this.#projectIds)}`),
    },
    "projects.list by logicalId": {
      batch: 200,
      run: () => this.#list(1, `/v1/projects?logicalId=p${String(this.#below(this.#size))}`),
    },
    "projects.list, last page of 10": {
      batch: 100,
      run: () => this.#list(10, this.#lastPage),
    },
    "databases.list by branch": {
      batch: 100,
      run: () => this.#list(1, `/v1/databases?branchId=${this.#any(this.#branchIds)}`),
    },
    "databases.list of 100": {
      batch: 8,
      run: () => this.#list(100, "/v1/databases?limit=100"),
    },
    "connections.list of a database": {
      batch: 200,
      run: () => this.#list(1, `/v1/connections?databaseId=${this.#any(this.#databaseIds)}`),
    },
    login: {
      batch: 20,
      prepare: async (count) => {
        for (let index = 0; index < count; index += 1) this.#added.push(await this.#consent());
      },
      run: (index) => this.#login(this.#added[index] ?? ""),
      restore: () => {
        const { grants, refreshTokens, authorizationCodes } = this.#engine.store;
        for (const { id } of grants.page({ where: {}, limit: this.#added.length, newestFirst: true })) {
          for (const token of refreshTokens.list({ grantId: id })) refreshTokens.delete(token.id);
          for (const code of authorizationCodes.list({ grantId: id })) authorizationCodes.delete(code.id);
          grants.delete(id);
        }
      },
    },
    "token refresh": {
      batch: 20,
      prepare: (count) => {
        const { refreshTokens } = this.#engine.store;
        for (let index = 0; index < count; index += 1) {
          const secret = randomBytes(32).toString("base64url");
          this.#added.push(secret);
          const grantId = `g${String(this.#below(this.#size))}`;
          refreshTokens.insert({ ...this.#refreshToken(digest(secret)), grantId });
        }
      },
      run: (index) => this.#form({ grant_type: "refresh_token", refresh_token: this.#added[index] ?? "" }),
      restore: () => {
        const { refreshTokens } = this.#engine.store;
        // Each secret was stored, and so was its successor.
        const limit = this.#added.length * 2;
        for (const { id } of refreshTokens.page({ where: {}, limit, newestFirst: true }))
          refreshTokens.delete(id);
      },
    },
    "projects.delete by an agent, awaiting approval": {
      batch: 100,
      run: () => this.#ask(403, "DELETE", `/v1/projects/${this.#any(this.#projectIds)}`, this.#agentToken),
      restore: () => {
        const { approvals } = this.#engine.store;
        const surplus = approvals.size - this.#size;
        for (const { id } of approvals.page({ where: {}, limit: surplus, newestFirst: true }))
          approvals.delete(id);
      },
    },
    "a deployment's start and stop, each with its job": {
      batch: 50,
      run: async () => {
        const path = `/v1/deployments/${this.#deploymentId}`;
        await this.#ask(200, "POST", `${path}/start`);
        await this.#engine.clock.advance(1);
        await this.#ask(204, "POST", `${path}/stop`);
        await this.#engine.clock.advance(1);
      },
    },
  };

  async #create(logicalId: string, token: string): Promise<string> {
    const body = JSON.stringify({ name: "growing", logicalId });
    const response = await this.#send("POST", "/v1/projects", token, "application/json", body);
    if (response.status !== 201) throw new Error(`projects.create: ${response.body ?? ""}`);
    // The contract's response to a create.
    return (JSON.parse(response.body ?? "") as { data: { id: string } }).data.id;
  }

  async #ask(status: number, method: string, path: string, token = this.#token): Promise<EngineResponse> {
    const response = await this.#send(method, path, token);
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.body ?? ""}`);
    return response;
  }

  async #list(count: number, path: string): Promise<string | null> {
    const { body = "" } = await this.#ask(200, "GET", path);
    // Every item has a URL that contains its id; parsing would cost more than the request.
    const items = body.split('"createdAt":').length - 1;
    if (items < count) throw new Error(`${path}: ${String(items)} items`);
    return /"nextCursor":"([^"]+)"/.exec(body)?.[1] ?? null;
  }

  async #findLastPage(rest: number): Promise<string> {
    let cursor = "";
    for (let left = this.#size - rest; left > 0; left -= 1_000) {
      const limit = Math.min(left, 1_000);
      cursor = (await this.#list(limit, `/v1/projects?limit=${String(limit)}&cursor=${cursor}`)) ?? "";
    }
    return `/v1/projects?cursor=${cursor}`;
  }

  async #consent(): Promise<string> {
    const { code } = await this.#engine.oauth.consent({
      redirectUri,
      codeChallenge,
      scope: "workspace:admin offline_access",
    });
    return code;
  }

  async #login(code: string): Promise<void> {
    await this.#form({
      grant_type: "authorization_code",
      redirect_uri: redirectUri,
      code_verifier: verifier,
      code,
    });
  }

  async #form(fields: Record<string, string>): Promise<void> {
    const body = new URLSearchParams({ client_id: cliClient.id, ...fields }).toString();
    const type = "application/x-www-form-urlencoded";
    const response = await this.#send("POST", "/token", undefined, type, body);
    if (response.status !== 200) throw new Error(`/token: ${response.body ?? ""}`);
  }

  #send(
    method: string,
    path: string,
    token: string | undefined,
    contentType?: string,
    body?: string,
  ): EngineResponse | Promise<EngineResponse> {
    return this.#engine.handle({
      method,
      path,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(contentType !== undefined && { "content-type": contentType }),
      },
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
    });
  }

  /** Grants of one integration, each with a code that was used and a refresh token. */
  #fillGrants(): void {
    const { grants, refreshTokens, authorizationCodes, integrations } = this.#engine.store;
    const integration = integrations.find({});
    if (!integration) throw new Error("There is no integration");
    const { id: integrationId, clientId, userId, workspaceId, scopes } = integration;
    const createdAt = this.#engine.clock.now();
    const of = { createdAt, integrationId, clientId, userId, workspaceId, scopes };
    for (let index = 1; index < this.#size; index += 1) {
      const grantId = `g${String(index)}`;
      // Expiry times differ, as they do where people log in at different times.
      const expiresAt = createdAt + year + (index % 997);
      grants.insert({ ...of, id: grantId, expiresAt });
      refreshTokens.insert({ ...this.#refreshToken(`r${String(index)}`), grantId, expiresAt });
      authorizationCodes.insert({
        ...of,
        ...{ id: `c${String(index)}`, redirectUri, codeChallenge, expiresAt: null, grantId },
      });
    }
    const [first] = grants.page({ where: {}, limit: 1 });
    if (first) grants.insert({ ...first, id: "g0" });
  }

  #refreshToken(id: string) {
    const createdAt = this.#engine.clock.now();
    return { id, createdAt, grantId: "g0", expiresAt: createdAt + year, usedAt: null, replayed: false };
  }

  /** Approvals that one agent requested earlier, half of which are pending. */
  #fillApprovals(): void {
    const { approvals } = this.#engine.store;
    const { agentId, user, workspace } = this.#engine.defaults;
    for (let index = 0; index < this.#size; index += 1) {
      const projectId = this.#projectIds[index] ?? "";
      approvals.insert({
        ...{
          id: `apr_${String(index)}`,
          createdAt: 0,
          agentId,
          sponsorId: user.id,
          workspaceId: workspace.id,
        },
        ...{ operationId: "projects.delete", projectId, request: `DELETE /v1/projects/${projectId}` },
        ...{ requestDigest: `digest ${String(index)}`, status: index % 2 === 0 ? "pending" : "consumed" },
        ...{ expiresAt: this.#engine.clock.now() + year, windowExpiresAt: null, decidedAt: null },
      });
    }
  }

  #any(ids: readonly string[]): string {
    return ids[this.#below(ids.length)] ?? "";
  }

  /** A multiplicative generator (Lehmer), which draws the same values in every process. */
  #below(limit: number): number {
    this.#draws = (this.#draws * 48_271) % 2_147_483_647;
    return this.#draws % limit;
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

let server: GrowingServer | undefined;

const running = (): GrowingServer => {
  if (!server) throw new Error("The server is not filled");
  return server;
};

serveCalls<GrowthServer>({
  fill: async (size) => {
    server = new GrowingServer(size);
    await server.fill();
    // Garbage of the setup is collected before the first operations are timed.
    globalThis.gc?.();
    return server.rows();
  },
  time: (operation) => running().time(operation),
  rows: () => running().rows(),
});
