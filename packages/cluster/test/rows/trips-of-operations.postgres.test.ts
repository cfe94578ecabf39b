import { type OperationId, operations } from "@mgmt/engine";
import type { Store, StoredServer } from "@mgmt/engine/internal";
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Connection } from "pg";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
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

/** What a request costs in Postgres. */
interface Costs {
  /** Round trips that the request waits for. */
  readonly trips: number;
  /** Prepared statements that it runs, by name. */
  readonly prepared: number;
  /** Statements that it sends as text, which Postgres parses each time. */
  readonly texts: number;
}

/** The statements of the request that the code belongs to. The server runs statements of its own meanwhile. */
const counting = new AsyncLocalStorage<{ prepared: number; texts: number }>();

const { bind, query } = Connection.prototype;

/** Counts the statements of each request. */
const countStatements = (): void => {
  vi.spyOn(Connection.prototype, "bind").mockImplementation(function (this: Connection, config, more) {
    const statements = counting.getStore();
    if (statements) statements[config?.statement ? "prepared" : "texts"] += 1;
    bind.call(this, config, more);
  });
  vi.spyOn(Connection.prototype, "query").mockImplementation(function (this: Connection, text) {
    const statements = counting.getStore();
    if (statements) statements.texts += 1;
    query.call(this, text);
  });
};

/** Sends one request to each operation, and returns its costs. */
const measure = async (
  engine: StoredServer,
  trips: readonly string[],
  related: number,
): Promise<Map<OperationId, Costs>> => {
  const { workspace, user } = await engine.readDefaults();
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
  const costs = new Map<OperationId, Costs>();
  for (const operation of Object.values(operations)) {
    const fixture = fixtureOf.get(operation.id) ?? fixtureOf.get("shared");
    if (fixture === undefined) throw new Error("There is no fixture");
    const { method, path, body } = validRequest(operation, fixture, recipient);
    // Names are unique on a branch.
    const named = operation.id === "services.create" ? { ...body, displayName: "service" } : body;
    await nextTurn();
    const before = trips.length;
    const statements = { prepared: 0, texts: 0 };
    const response = await counting.run(statements, () =>
      engine.handle({
        ...{ method, path },
        headers: {
          authorization: `Bearer ${operation.id === "agentApprovals.get" ? agent : token}`,
          "content-type": "application/json",
        },
        body: named && JSON.stringify(named),
      }),
    );
    expect(response.status, `${operation.id} ${response.body ?? ""}`).toBeLessThan(300);
    // No request waits for the end of a transaction that has changed nothing.
    await nextTurn();
    costs.set(operation.id, { trips: trips.length - before, ...statements });
  }
  return costs;
};

let engine: StoredServer;
let trips: readonly string[];

beforeEach(async () => {
  countStatements();
  const records = await cluster.openRecords(cluster.newSchema());
  onTestFinished(() => records.close());
  const counted = countTrips(records);
  trips = counted.trips;
  ({ engine } = await StoredProcess.open(cluster, cluster.newSchema(), {
    records: counted,
    isStarted: false,
  }));
});

it("no operation takes more round trips to Postgres while its resources have more rows", async () => {
  const tripsOf = (costs: Map<OperationId, Costs>) => [...costs].map(([id, each]) => [id, each.trips]);
  const few = await measure(engine, trips, 2);
  const many = await measure(engine, trips, 12);
  expect(tripsOf(many)).toEqual(tripsOf(few));
});

it("each operation takes the trips and the statements of the table; npx vitest run FILE -u writes it", async () => {
  const costs = await measure(engine, trips, 2);
  const lines = [...costs].map(([id, each]) =>
    [
      id.padEnd(34),
      ...[each.trips, each.prepared, each.texts].map((count) => String(count).padStart(8)),
    ].join(" "),
  );
  const head = ["operation".padEnd(34), "   trips", "prepared", "   texts"].join(" ");
  await expect([head, ...lines, ""].join("\n")).toMatchFileSnapshot("costs-of-operations.txt");
});
