import { type OperationId, type Store, type StoredEngine, operations } from "@mgmt/engine";
import { expect, it, onTestFinished } from "vitest";
import { type Fixture, validRequest } from "../../../engine/test/request/valid-requests.js";
import { sampleRows } from "../../../engine/test/store/store-under-test.js";
import { countTrips } from "./count-trips.js";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess } from "./stored-process.js";

const cluster = new StoreCluster();

/** Operations that use up their resources, which no other operation has therefore. */
const withOwnResources: ReadonlySet<OperationId> = new Set([
  "projects.delete",
  "projects.transfer",
  "databases.delete",
  "connections.delete",
  "apps.delete",
  "services.delete",
  "deployments.delete",
  "integrations.delete",
  "workspaces.integrations.delete",
]);

interface Place {
  readonly workspaceId: string;
  readonly userId: string;
  readonly agentId: string;
  /** Number of rows of each kind that belong to the same resource. */
  readonly related: number;
  /** Default: the project has resources that prevent its deletion. */
  readonly isDeletable: boolean;
}

/** Inserts a project with resources of each kind. Their ids contain the name. */
const insertResources = (
  store: Store,
  name: string,
  { workspaceId, userId, agentId, related, isDeletable }: Place,
): Fixture => {
  const createdAt = Date.now();
  const id = (prefix: string, index = 0): string => `${prefix}_${name}x${String(index)}`;
  const ids = (prefix: string): string[] =>
    Array.from({ length: related }, (_, index) => id(prefix, index + 1));
  const [projectId, branchId, appId, clientId, integrationId, deploymentId] = [
    ...[id("proj"), id("br"), id("cps"), `itgr_client${name}`, id("itgr"), id("dpl")],
  ] as const;
  const of = { createdAt, workspaceId };
  const inProject = { ...of, projectId, branchId, branchGitName: "main" };

  for (const each of [projectId, ...ids("proj")]) store.projects.insert(sampleRows.projects(each, of));
  store.branches.insert(
    sampleRows.branches(branchId, {
      ...inProject,
      updatedAt: createdAt,
      isDefault: true,
      role: "production",
    }),
  );
  for (const each of ids("br")) {
    const row = { createdAt, updatedAt: createdAt, projectId, gitName: each };
    store.branches.insert(sampleRows.branches(each, row));
  }
  for (const each of isDeletable ? [id("db")] : [id("db"), ...ids("db")]) {
    const key = each.slice("db_".length);
    store.databases.insert(
      sampleRows.databases(each, {
        ...inProject,
        isDefault: each === id("db"),
        defaultConnectionId: `con_${key}y0`,
        copies: ids("db").filter((other) => other !== each),
      }),
    );
    for (let index = 0; index <= related; index += 1) {
      const suffix = `${key}y${String(index)}`;
      const connection = { ...of, databaseId: each, user: `role_${suffix}` };
      store.connections.insert(sampleRows.connections(`con_${suffix}`, connection));
      const backup = { createdAt, databaseId: each, size: 1 };
      store.backups.insert(sampleRows.backups(`bkp_${suffix}`, backup));
    }
  }
  for (const each of isDeletable ? [] : [appId, ...ids("cps")])
    store.apps.insert(sampleRows.apps(each, { ...inProject, name: each }));
  store.deployments.insert(sampleRows.deployments(deploymentId, { createdAt, appId, status: "running" }));
  for (const each of ids("dpl"))
    store.deployments.insert(sampleRows.deployments(each, { createdAt, appId, status: "stopped" }));
  for (const each of [id("stk"), ...ids("stk")])
    store.serviceTokens.insert(sampleRows.serviceTokens(each, of));
  store.clients.insert(sampleRows.clients(clientId, { createdAt }));
  for (const each of [integrationId, ...ids("itgr")]) {
    const user = each.replace("itgr", "usr");
    store.users.insert(sampleRows.users(user, { createdAt, email: `${user}@example.com` }));
    store.integrations.insert(sampleRows.integrations(each, { ...of, clientId, userId: user }));
  }
  for (const each of ids("itgr")) {
    for (const owner of [integrationId, each]) {
      const grant = { ...of, integrationId: owner, clientId, expiresAt: createdAt + 3_600_000 };
      store.grants.insert(sampleRows.grants(`${each} ${owner}`, grant));
    }
  }
  for (const each of [id("apr"), ...ids("apr")]) {
    const row = { ...of, agentId, sponsorId: userId, projectId, expiresAt: createdAt + 3_600_000 };
    store.approvals.insert(sampleRows.approvals(each, row));
  }
  for (const each of ids("wksp"))
    store.workspaces.insert(sampleRows.workspaces(each, { createdAt, memberIds: [userId] }));

  return {
    ...{ user: userId, workspace: workspaceId, service_token: id("stk"), client: clientId },
    ...{ integration: integrationId, project: projectId, branch: id("br", 1), emptyBranch: id("br", 2) },
    ...{ database: id("db"), extraDatabase: id("db", 1), connection: `con_${name}x0y0` },
    ...{ backup: `bkp_${name}x0y0`, app: appId, deployment: deploymentId },
    ...{ stoppedDeployment: id("dpl", 1), approval: id("apr") },
  };
};

/** Sends one request to each operation, and returns the number of its round trips. */
const measure = async (
  engine: StoredEngine,
  trips: readonly string[],
  related: number,
): Promise<Record<string, number>> => {
  const { workspace, user } = await engine.rows();
  const agentId = workspace.id.replace(/^wksp_/, "agent_");
  const place = { workspaceId: workspace.id, userId: user.id, agentId, related };
  const fixtures = await engine.write([], ({ store }) =>
    ["shared", ...withOwnResources].map((operation, index): [string, Fixture] => [
      operation,
      insertResources(store, `r${String(related)}f${String(index)}`, {
        ...place,
        isDeletable: operation === "projects.delete",
      }),
    ]),
  );
  const fixtureOf = new Map(fixtures);
  const expiresAt = "2100-01-01";
  const [token, agent, recipient] = [
    await engine.tokens.user({ expiresAt }),
    await engine.tokens.agent({ expiresAt }),
    await engine.tokens.otherUser({ expiresAt }),
  ];
  const counts: Record<string, number> = {};
  for (const operation of Object.values(operations)) {
    const fixture = fixtureOf.get(operation.id) ?? fixtureOf.get("shared");
    if (fixture === undefined) throw new Error("There is no fixture");
    const { method, path, body } = validRequest(operation, fixture, recipient);
    // Names are unique on a branch.
    const named = operation.id === "services.create" ? { ...body, displayName: "service" } : body;
    const before = trips.length;
    const response = await engine.handle({
      ...{ method, path },
      headers: {
        authorization: `Bearer ${operation.id === "agentApprovals.get" ? agent : token}`,
        "content-type": "application/json",
      },
      body: named && JSON.stringify(named),
    });
    expect(response.status, `${operation.id} ${response.body ?? ""}`).toBeLessThan(300);
    counts[operation.id] = trips.length - before;
  }
  return counts;
};

it("no operation takes more round trips to Postgres while its resources have more rows", async () => {
  const records = await cluster.openRecords(cluster.newSchema());
  onTestFinished(() => records.close());
  const counted = countTrips(records);
  const { engine } = await StoredProcess.open(cluster, cluster.newSchema(), {
    records: counted,
    isStarted: false,
  });
  const few = await measure(engine, counted.trips, 2);
  const many = await measure(engine, counted.trips, 12);
  expect(many).toEqual(few);
});
