import { type Mock, type Snapshot, setupMock } from "@mgmt/mock";
import type { EngineOptions, MemoryServer } from "@mgmt/mock/server";
import { createMemoryDatabaseEngine } from "@mgmt/engine";

/**
 * The ids of the resources that all examples of the contract are about: Ada's workspace Acme with the project shop, which has a
 * database and the app web.
 */
export const storyIds = {
  user: "usr_3p8r5t0v7x2z4b9d6f1h8k3m",
  workspace: "wksp_7h2k9m4p1q8r3s6t0v5w2x9y",
  client: "itgr_7u2w9y4a1c6e3g8j5l0n7q2s",
  integration: "itgr_0a5c8e3g6j1l4n9q2s7u0w5y",
  serviceToken: "stk_4k9m2p7r0t5v8x3z6b1d4f9h",
  project: "proj_3f8k2m9q4r7t1v6x0z5b8d2h",
  database: "db_5n1p8s3u6w0y4a7c2e9g5j1m",
  connection: "con_2b7d4f9h1k6m3p8r5t0v7x2z",
  role: "role_2b7d4f9h1k6m3p8r",
  backup: "bkp_9c4e1g6j3l8n5q0s7u2w4y6a",
  /** The branch `main`. */
  mainBranch: "br_1d6f3h8k5m0p7r2t9v4x6z1b",
  /** The branch `feature/cart`. */
  branch: "br_8k5m0p7r2t9v4x6z1b1d6f3h",
  app: "cps_8s2d4f6g1h3j5k7l9q0w2e4r",
  deployment: "dpl_6g1j8l3n0q5s2u7w4y9a6c1e",
  version: "ver_6g1j8l3n0q5s2u7w4y9a6c1e",
  approval: "apr_4k1v9d0s7p2m6q8x3z5c7b1n",
} as const;

const baseUrl = "http://127.0.0.1:4300";
const memory = createMemoryDatabaseEngine("mgmt.example");

/** Options of a server in which the story takes place. Its clock stands still. */
export const storyOptions = {
  settings: { baseUrl, authUrl: baseUrl },
  startAt: "2026-11-20T10:00:00.000Z",
  frozen: true,
  databaseEngine: {
    ...memory,
    backup: () => Promise.resolve({ size: 7_340_032 }),
    readUsage: () => Promise.resolve({ bytes: 7_340_032, operations: 1204 }),
  },
} satisfies EngineOptions;

/** Tokens of the story, which their server has to sign: the user's, as the integration has it, and that of the user's agent. */
export const storyTokens = async ({ tokens }: MemoryServer): Promise<{ user: string; agent: string }> => ({
  user: await tokens.user({
    userId: storyIds.user,
    workspaceId: storyIds.workspace,
    integrationId: storyIds.integration,
  }),
  agent: await tokens.agent({ sponsorId: storyIds.user }),
});

/** Returns the state that the examples describe, for the option `initial` of a server. */
export const storySnapshot = async (): Promise<Snapshot> => {
  const server = setupMock(storyOptions);
  const { password, ...ids } = await createResources(server);
  let text = JSON.stringify(server.snapshot());
  for (const [name, id] of Object.entries(ids)) {
    const stem = stemOf(id);
    const storyStem = stemOf(Reflect.get(storyIds, name));
    // Domains begin with the first characters of an id.
    text = text.replaceAll(stem, storyStem).replaceAll(stem.slice(0, 12), storyStem.slice(0, 12));
  }
  return JSON.parse(text.replaceAll(password, "example"));
};

const stemOf = (id: string): string => id.slice(id.indexOf("_") + 1);

const createResources = async (server: Mock): Promise<Record<keyof typeof storyIds | "password", string>> => {
  const { seed, rows, tokens } = server;
  const user = await seed.user({ email: "ada@acme.test", name: "Ada" });
  const workspace = await seed.workspace({ name: "Acme", ownerId: user.id });
  const target = { workspaceId: workspace.id };
  const { integration, client } = await seed.integration({
    ...target,
    clientName: "Acme Deploy",
    scopes: ["workspace:admin"],
  });
  const serviceToken = await seed.serviceToken({ name: "ci" }, target);

  const project = await seed.project({ name: "shop", region: "eu-central-1", logicalId: "shop" }, target);
  const database = found(rows.databases.find({ projectId: project.id }));
  const connection = found(rows.connections.find({ databaseId: database.id }));
  const backup = await seed.backup(database.id);
  const mainBranch = found(rows.branches.find({ projectId: project.id }));
  const branch = await seed.branch(project.id, { gitName: "feature/cart" });
  const app = await seed.app(project.id, { displayName: "web", logicalId: "web" });
  const deployment = await seed.deployment(app.id, { portMapping: { http: 8080 }, status: "running" });

  const request = (token: string, method: string, path: string, body?: object): Promise<Response> =>
    server.fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  // A database cannot have a logical id when it is created with its project.
  const ada = await tokens.user({ userId: user.id });
  await request(ada, "PATCH", `/v1/databases/${database.id}`, { logicalId: "shop" });
  const agent = await tokens.agent({ sponsorId: user.id });
  await request(agent, "DELETE", `/v1/connections/${connection.id}`);
  const approval = found(rows.approvals.find({ projectId: project.id }));

  return {
    user: user.id,
    workspace: workspace.id,
    client: client.id,
    integration: integration.id,
    serviceToken: serviceToken.id,
    project: project.id,
    database: database.id,
    connection: connection.id,
    role: connection.user,
    password: connection.pass ?? "",
    backup: backup.id,
    mainBranch: mainBranch.id,
    branch: branch.id,
    app: app.id,
    deployment: deployment.id,
    version: deployment.foundryVersionId,
    approval: approval.id,
  };
};

const found = <T>(row: T | undefined): T => {
  if (row === undefined) throw new Error("A resource of the story was not created");
  return row;
};
