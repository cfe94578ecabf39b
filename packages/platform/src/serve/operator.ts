import { isMissingDatabaseError } from "@mgmt/cluster/connection/admin-connection";
import type { OpenRecords } from "@mgmt/cluster/rows/open-records";
import { createRecordsDatabase } from "@mgmt/cluster/rows/records-database";
import type { MeUser, RequestedApproval, ServiceTokenWithValue, Workspace } from "@mgmt/engine";
import type { StoredServer } from "@mgmt/engine/internal";
import { ServeError, serveErrors } from "../errors/serve-error.js";
import type { ServeSettings } from "./config-schema.js";
import { createKeyFile } from "./key-file.js";
import { type ServiceRecords, getBaseUrl, openServiceEngine, openServiceRecords } from "./open-service.js";
import { parsePostgresUrl } from "./postgres-url.js";
import { probeServer } from "./probe.js";

/** What a new service starts with. */
export interface InitializedService {
  readonly workspace: Workspace;
  readonly user: MeUser;
  /** With its value, which is shown once. */
  readonly token: ServiceTokenWithValue;
}

/**
 * Creates the records of a new service, and the key file unless it exists, with a workspace, its owner and a service token.
 *
 * @throws ServeError `serve:already_initialized`, after which nothing has changed.
 */
export const initializeService = async (
  settings: ServeSettings,
  { workspaceName, ownerEmail }: { workspaceName: string; ownerEmail: string },
): Promise<InitializedService> => {
  const address = await parsePostgresUrl("databaseUrl", settings.databaseUrl);
  await probeServer(address).catch(async (error: unknown) => {
    if (!(error instanceof ServeError && isMissingDatabaseError(error.cause))) throw error;
    await createRecordsDatabase(address);
  });
  await createKeyFile(settings.keyFile);
  return withEngine(settings, { migrates: true }, async (engine) => {
    const isUsed = await engine.read(({ store }) => store.workspaces.find({}) !== undefined);
    if (isUsed) throw serveErrors.alreadyInitialized(address.database);
    const user = await engine.seed.user({ email: ownerEmail, name: null });
    const workspace = await engine.seed.workspace({ name: workspaceName, ownerId: user.id });
    const token = await engine.seed.serviceToken({ name: "default" }, { workspaceId: workspace.id });
    return { workspace, user, token };
  });
};

/** Brings the records of an earlier version to this one. Servers of the version before continue to work. */
export const migrateService = async (settings: ServeSettings): Promise<void> => {
  const { records } = await openServiceRecords(settings, { migrates: true });
  await records.close();
};

export interface ServiceStatus {
  /** The servers that run, oldest first. Times are in milliseconds since 1970. */
  readonly servers: readonly {
    readonly id: string;
    readonly version: string;
    readonly startedAt: number;
    /** How long ago the last heartbeat was. */
    readonly silentSeconds: number;
  }[];
  /** Numbers of databases by status. */
  readonly databases: Readonly<Record<string, number>>;
  /** Numbers of jobs by state. */
  readonly jobs: Readonly<Record<string, number>>;
  /** How long the oldest job that is due has waited. */
  readonly jobLagSeconds: number;
  /** Major version of Postgres. */
  readonly postgres: number;
  /** The clock of Postgres minus that of this machine, in milliseconds. */
  readonly clockOffset: number;
}

/** Returns what the records say about a service. */
export const readServiceStatus = async (settings: ServeSettings): Promise<ServiceStatus> =>
  withRecords(settings, {}, async ({ records, facts }) => ({
    postgres: facts.major,
    clockOffset: Math.round(facts.clockOffset),
    servers: await records.listServers(),
    ...(await readCounts(records)),
  }));

const readCounts = async ({
  readCounts: readAllCounts,
}: OpenRecords): Promise<Pick<ServiceStatus, "databases" | "jobs" | "jobLagSeconds">> => {
  const { databases, jobs, jobLagSeconds } = await readAllCounts();
  return { databases, jobs, jobLagSeconds };
};

export interface WorkspaceWithMembers {
  readonly id: string;
  readonly name: string;
  readonly members: readonly { readonly id: string; readonly email: string }[];
}

/** Changes what only an operator may change, directly in the records, while servers run. */
export interface Operator {
  listWorkspaces(): Promise<WorkspaceWithMembers[]>;
  /** @param owner email address. A user with this address is created unless there is one. */
  createWorkspace(name: string, owner: string): Promise<Workspace>;
  listTokens(workspaceId: string): Promise<ListedToken[]>;
  createToken(workspaceId: string, name: string): Promise<ServiceTokenWithValue>;
  /** Revokes a service token. Returns whether it existed. */
  deleteToken(workspaceId: string, id: string): Promise<boolean>;
  /**
   * Issues a token of an agent.
   *
   * @param options.sponsor email address of a member of the workspace, in whose name an operator decides approvals.
   * @param options.expiresAt milliseconds since 1970.
   */
  createAgentToken(options: AgentOptions): Promise<{ token: string; agentId: string; sponsorId: string }>;
  listApprovals(): Promise<RequestedApproval[]>;
  approve(id: string): Promise<RequestedApproval>;
  deny(id: string): Promise<RequestedApproval>;
}

export interface ListedToken {
  readonly id: string;
  readonly name: string;
  /** The last characters of the value. */
  readonly valueHint: string;
  /** Times are in ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

export interface AgentOptions {
  readonly agentId: string;
  readonly sponsor: string;
  readonly expiresAt: number;
}

/** Does work on the records of a service. */
export const runAsOperator = <T>(
  settings: ServeSettings,
  work: (operator: Operator) => Promise<T>,
): Promise<T> => withEngine(settings, {}, (engine) => work(createOperator(engine)));

const createOperator = (engine: StoredServer): Operator => ({
  listWorkspaces: () =>
    engine.read(({ store }) => {
      const users = new Map(store.users.list({}).map(({ id, email }) => [id, email]));
      return store.workspaces.list({}).map(({ id, name, memberIds }) => ({
        ...{ id, name },
        members: memberIds.map((memberId) => ({ id: memberId, email: users.get(memberId) ?? "" })),
      }));
    }),
  createWorkspace: async (name, owner) => {
    const ownerId =
      (await findUserId(engine, owner)) ?? (await engine.seed.user({ email: owner, name: null })).id;
    return engine.seed.workspace({ name, ownerId });
  },
  listTokens: (workspaceId) =>
    engine.read(({ store }) => {
      return store.serviceTokens
        .list({ workspaceId })
        .map(({ id, name, valueHint, createdAt, expiresAt }) => ({
          ...{ id, name, valueHint },
          createdAt: new Date(createdAt).toISOString(),
          expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
        }));
    }),
  createToken: (workspaceId, name) => engine.seed.serviceToken({ name }, { workspaceId }),
  deleteToken: (workspaceId, id) =>
    engine.write([workspaceId], ({ store }) => {
      if (store.serviceTokens.get(id)?.workspaceId !== workspaceId) return false;
      store.serviceTokens.delete(id);
      return true;
    }),
  createAgentToken: async ({ agentId, sponsor, expiresAt }) => {
    const sponsorId = (await findUserId(engine, sponsor)) ?? sponsor;
    const token = await engine.tokens.agent({ agentId, sponsorId, expiresAt });
    return { token, agentId, sponsorId };
  },
  listApprovals: () => engine.approvals.list(),
  approve: (id) => engine.approvals.approve(id),
  deny: (id) => engine.approvals.deny(id),
});

/** Returns the id of the user with an email address; undefined if there is none. */
const findUserId = (engine: StoredServer, email: string): Promise<string | undefined> =>
  engine.read(({ store }) => store.users.list({}).find((user) => user.email === email)?.id);

const withRecords = async <T>(
  settings: ServeSettings,
  options: { migrates?: boolean },
  work: (serviceRecords: ServiceRecords) => Promise<T>,
): Promise<T> => {
  const serviceRecords = await openServiceRecords(settings, options);
  try {
    return await work(serviceRecords);
  } finally {
    await serviceRecords.records.close();
  }
};

/** Does work with the rules of the API, without the databases. */
const withEngine = <T>(
  settings: ServeSettings,
  options: { migrates?: boolean },
  work: (engine: StoredServer) => Promise<T>,
): Promise<T> =>
  withRecords(settings, options, async (serviceRecords) => {
    const defects: unknown[] = [];
    const { records, facts } = serviceRecords;
    const engine = await openServiceEngine(settings, records, {
      baseUrl: getBaseUrl(settings),
      readSystemTime: () => Math.round(Date.now() + facts.clockOffset),
      onDefect: (error) => void defects.push(error),
    });
    const result = await work(engine);
    if (defects.length > 0) throw defects[0];
    return result;
  });
