// Which options and lists compile, with every supported compiler.
import {
  type App,
  type AttemptTrace,
  type CallTrace,
  type Database,
  type EnsurePlan,
  type EnsureResult,
  type MgmtClient,
  type RegionId,
  createClient,
} from "@mgmt/sdk";

const client = createClient({ baseUrl: "https://api.example.com", token: false });

export const readLists = async (): Promise<void> => {
  for (const list of [client.projects.list(), client.databases.backups.list("db_1"), client.regions.list()]) {
    const { data, hasMore, nextCursor } = await list;
    for await (const page of list.pages()) console.log(page.data.length, data, hasMore, nextCursor);
    console.log((await list.withResponse()).response.status, await list.toArray({ limit: 1 }));
  }
};

export const waitForDatabase = async (): Promise<void> => {
  const statuses: string[] = [];
  await client.databases.waitUntilReady("db_1", { onProgress: ({ status }) => statuses.push(status) });
  await client.databases.waitUntilReady("db_1", { onProgress: async () => "saved", pollIntervalMs: 50 });
};

export const createIn = async (region: string): Promise<RegionId> => {
  await client.projects.create({ region });
  return region;
};

export const ensureDatabase = async (dryRun: boolean): Promise<string> => {
  const body = { projectId: "proj_1", logicalId: "orders" };
  const plan: EnsurePlan<Database> = await client.databases.ensure(body, { dryRun: true });
  const outcome = await client.databases.ensure(body, { dryRun });
  if ("action" in outcome) return (outcome satisfies EnsurePlan<Database>).action + plan.action;
  if (outcome.created) return outcome.connection.connectionString;
  // @ts-expect-error An existing database has no connection string.
  return outcome.connection.connectionString;
};

export const ensureService = async (
  dryRun: boolean,
): Promise<EnsureResult<App> | EnsurePlan<App> | undefined> =>
  (await client.safe.services.ensure({ projectId: "proj_1", displayName: "web" }, { dryRun })).data;

export const forTenant = (token: string, signal: AbortSignal): MgmtClient => {
  // @ts-expect-error The address is an option of the client only.
  client.withOptions({ baseUrl: "https://elsewhere.example.com" });
  // @ts-expect-error The API has no idempotency keys.
  void client.projects.create({}, { idempotencyKey: "key" });
  return client.withOptions({ token, signal, timeoutMs: 5_000, headers: { "x-tenant": "a" } });
};

export const traceOf = (trace: CallTrace | AttemptTrace): string => trace.method;
