import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isPrivilegeError } from "@mgmt/cluster/connection/admin-connection";
import { createRecordsDatabase } from "@mgmt/cluster/rows/records-database";
import { AlteredSecretError } from "@mgmt/cluster/rows/row-codec";
import { silenceLimitSeconds } from "@mgmt/cluster/rows/server-registry";
import {
  ControlError,
  type MeUser,
  type RequestedApproval,
  type ServiceTokenWithValue,
  type Workspace,
} from "@mgmt/engine";
import type { StoredServer } from "@mgmt/engine/internal";
import { ServeError, serveErrors } from "../errors/serve-error.js";
import type { ServeSettings } from "./config-schema.js";
import { createKeyFile, toKeyFileError } from "./key-file.js";
import { type ServiceRecords, getBaseUrl, openServiceEngine, openServiceRecords } from "./open-service.js";
import { parsePostgresUrl } from "./postgres-url.js";
import { isMissingRecordsError, probeServer } from "./probe.js";

/** The initial resources of a new service. */
export interface InitializedService {
  readonly workspace: Workspace;
  readonly user: MeUser;
  /** With its value, which is shown once. */
  readonly token: ServiceTokenWithValue;
}

/**
 * Creates the records of a new service, and the key file unless it exists, with a workspace, its owner and a service token.
 *
 * @throws ServeError `serve:already_initialized`, after which nothing has changed; `serve:value_invalid`.
 */
export const initializeService = async (
  settings: ServeSettings,
  { workspaceName, ownerEmail }: { workspaceName: string; ownerEmail: string },
): Promise<InitializedService> => {
  assertWorkspaceName(workspaceName);
  assertEmail("The address of the owner", ownerEmail);
  const address = await parsePostgresUrl("databaseUrl", settings.databaseUrl);
  await probeServer(address).catch(async (error: unknown) => {
    if (!isMissingRecordsError(error)) throw error;
    await createRecordsDatabase(address).catch((reason: unknown) => {
      throw isPrivilegeError(reason) && reason instanceof Error
        ? serveErrors.cannotCreateDatabase(address.database, reason.message, reason)
        : reason;
    });
  });
  const isNewKey = await createKeyFile(settings.keyFile);
  try {
    return await withEngine(settings, { migrates: true }, async (engine) => {
      const isUsed = await engine.read(({ store }) => store.workspaces.find({}) !== undefined);
      if (isUsed) throw serveErrors.alreadyInitialized(address.database);
      const user = await engine.seed.user({ email: ownerEmail, name: null });
      const workspace = await engine.seed.workspace({ name: workspaceName, ownerId: user.id });
      const token = await engine.seed.serviceToken({ name: "default" }, { workspaceId: workspace.id });
      return { workspace, user, token };
    });
  } catch (error) {
    // The records have another key, so that nothing is encrypted with the new one.
    if (isNewKey && error instanceof ServeError && error.code === "serve:keys_unknown") {
      await rm(settings.keyFile);
      throw serveErrors.alreadyInitialized(address.database);
    }
    throw error;
  }
};

const maxNameLength = 256;

const assertWorkspaceName = (name: string): void => {
  if (name.trim() === "" || name.length > maxNameLength)
    throw serveErrors.valueInvalid(
      "The name of a workspace",
      `from 1 to ${String(maxNameLength)} characters`,
    );
};

const assertEmail = (label: string, email: string): void => {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw serveErrors.valueInvalid(label, "an email address");
};

/**
 * Brings the records of an earlier version to this one. Servers of the version before continue to work.
 *
 * @throws ServeError `serve:servers_older` while servers run that could not use the new schema. Nothing is changed then.
 */
export const migrateService = async (settings: ServeSettings): Promise<void> => {
  const { records } = await openServiceRecords(settings, { migrates: true });
  await records.close();
};

/** Attempts to encrypt rows that transactions are changing. */
const maxReencryptAttempts = 5;

/** The result of encrypting again. */
export interface ReencryptedSecrets {
  /** The id of the key with which all secrets in the records are encrypted. */
  readonly keyId: string;
  /** The ids of the other keys in the key file, which are no longer needed. */
  readonly unusedKeyIds: readonly string[];
}

/**
 * Encrypts all secrets in the records with the first key of the key file, while servers run.
 *
 * @param options.keyWaitMs how long running servers may take to read a new key from their files, which they do with each heartbeat, in
 *   milliseconds. Default: 15,000.
 * @throws ServeError `serve:keys_differ` while a server encrypts with another key, before anything is changed; `serve:keys_in_use`;
 *   `serve:secret_altered`.
 */
export const reencryptService = (
  settings: ServeSettings,
  { keyWaitMs = 15_000 }: { keyWaitMs?: number } = {},
): Promise<ReencryptedSecrets> =>
  withRecords(settings, {}, async ({ records, keys }) => {
    const waitOptions = { records, keyId: keys.current.id, keyWaitMs };
    await waitForSameKey(settings, waitOptions);
    let otherKeyIds: readonly string[] = [];
    for (
      let attempt = 0;
      attempt === 0 || (otherKeyIds.length > 0 && attempt < maxReencryptAttempts);
      attempt += 1
    )
      otherKeyIds = await records.reencrypt().catch((error: unknown) => {
        throw error instanceof AlteredSecretError
          ? serveErrors.secretAltered(error.message, error)
          : toKeyFileError(settings.keyFile, error);
      });
    if (otherKeyIds.length > 0) throw serveErrors.keysInUse(settings.keyFile, otherKeyIds);
    // A server with another key may have started in the meantime.
    await waitForSameKey(settings, waitOptions);
    const [, ...unusedKeyIds] = keys.ids;
    return { keyId: keys.current.id, unusedKeyIds };
  });

const keyPollIntervalMs = 250;

/**
 * Waits until all servers that run encrypt with a key. The sessions of a server that is silent for long are terminated, so that it changes
 * nothing.
 *
 * @throws ServeError `serve:keys_differ` when some still use another key after `keyWaitMs`.
 */
const waitForSameKey = async (
  { keyFile }: ServeSettings,
  { records, keyId, keyWaitMs }: { records: ServiceRecords["records"]; keyId: string; keyWaitMs: number },
): Promise<void> => {
  for (const deadline = performance.now() + keyWaitMs; ; await sleep(keyPollIntervalMs)) {
    const otherIds = (await records.listServers())
      .filter((server) => server.keyId !== keyId && server.silentSeconds < silenceLimitSeconds)
      .map(({ id }) => id);
    if (otherIds.length === 0) return;
    if (performance.now() > deadline) throw serveErrors.keysDiffer(keyFile, keyId, otherIds);
  }
};

/** The servers of the service, and the work that waits. */
export interface ServiceStatus {
  /** The servers that run, oldest first. Times are in milliseconds since 1970. */
  readonly servers: readonly {
    readonly id: string;
    readonly version: string;
    readonly startedAt: number;
    /** How long ago the last heartbeat was. */
    readonly silentSeconds: number;
    /** The id of the key with which the server encrypts. Null if it has not reported it. */
    readonly keyId: string | null;
  }[];
  /** Numbers of databases by status. */
  readonly databases: Readonly<Record<string, number>>;
  /** Numbers of jobs by state. */
  readonly jobs: Readonly<Record<string, number>>;
  /** How long the oldest job that is due has waited. */
  readonly jobLagSeconds: number;
  /** Major version of Postgres. */
  readonly postgres: number;
  /** The difference between the clock of Postgres and the local clock, in milliseconds. */
  readonly clockOffset: number;
}

/** Returns the state of a service, from the records. */
export const readServiceStatus = async (settings: ServeSettings): Promise<ServiceStatus> =>
  withRecords(settings, {}, async ({ records, serverInfo }) => {
    const { databases, jobs, jobLagSeconds } = await records.readCounts();
    return {
      postgres: serverInfo.major,
      clockOffset: Math.round(serverInfo.clockOffset),
      servers: await records.listServers(),
      ...{ databases, jobs, jobLagSeconds },
    };
  });

/** A workspace and the users who are its members. */
export interface WorkspaceWithMembers {
  readonly id: string;
  readonly name: string;
  readonly members: readonly { readonly id: string; readonly email: string }[];
}

/** A job of a service: work that follows a request. */
export interface ServiceJob {
  readonly id: string;
  /** Names the work: `database.provision`. */
  readonly kind: string;
  /** Id of the resource that the job works on. */
  readonly subject: string;
  /** `waiting` until it is due, `running`, or `dead` after too many failures, until it is retried. */
  readonly state: "waiting" | "running" | "dead";
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970: 0 for a job that was due immediately, null for a dead one. */
  readonly dueAt: number | null;
  /** Whether the server lives that has the job; null when none has it. */
  readonly isOwnerAlive: boolean | null;
  readonly attempts: number;
  /** The names and codes of the last error and its causes; null for a job that has not failed. */
  readonly lastError: string | null;
}

/** Makes changes that only an operator may make, directly in the records, while servers run. */
export interface Operator {
  listWorkspaces(): Promise<WorkspaceWithMembers[]>;
  /**
   * @param owner email address. A user with this address is created unless there is one.
   * @throws ServeError `serve:value_invalid`.
   */
  createWorkspace(name: string, owner: string): Promise<Workspace>;
  /** @throws ServeError `serve:not_found`, as the two that follow. */
  listTokens(workspaceId: string): Promise<ListedToken[]>;
  createToken(workspaceId: string, name: string): Promise<ServiceTokenWithValue>;
  /** Revokes a service token. */
  deleteToken(workspaceId: string, id: string): Promise<void>;
  /**
   * Issues a token of an agent.
   *
   * @param options.sponsor email address of a member of the workspace, in whose name an operator decides approvals.
   * @param options.expiresAt milliseconds since 1970.
   * @throws ServeError `serve:not_a_member`, `serve:value_invalid`.
   */
  createAgentToken(options: AgentOptions): Promise<AgentToken>;
  listApprovals(): Promise<RequestedApproval[]>;
  /**
   * @param windowMs approves the same operation in the same project for this time. Default: one run of the request.
   * @throws ServeError `serve:not_found`, `serve:approval_refused`.
   */
  approve(id: string, windowMs?: number): Promise<RequestedApproval>;
  /** @throws ServeError `serve:not_found`, `serve:approval_refused`. */
  deny(id: string): Promise<RequestedApproval>;
  listJobs(): Promise<ServiceJob[]>;
  /** Runs failed jobs again, and returns their ids. Default: all that are dead. */
  retryJobs(ids?: readonly string[]): Promise<string[]>;
}

/** A service token, without its value. */
export interface ListedToken {
  readonly id: string;
  readonly name: string;
  /** The last characters of the value. */
  readonly valueHint: string;
  /** Times are in ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

/** A new access token of an agent. */
export interface AgentToken {
  readonly token: string;
  readonly agentId: string;
  readonly sponsorId: string;
  /** The workspace that the agent works in. */
  readonly workspaceId: string;
}

/** Which agent a token is for, who sponsors it, and when it expires, in milliseconds since 1970. */
export interface AgentOptions {
  readonly agentId: string;
  readonly sponsor: string;
  readonly expiresAt: number;
}

/** Runs a callback on the records of a service. */
export const runAsOperator = <T>(
  settings: ServeSettings,
  callback: (operator: Operator) => Promise<T>,
): Promise<T> => withEngine(settings, {}, (engine) => callback(createOperator(engine)));

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
    assertWorkspaceName(name);
    assertEmail("The address of the owner", owner);
    const ownerId =
      (await findUserId(engine, owner)) ?? (await engine.seed.user({ email: owner, name: null })).id;
    return engine.seed.workspace({ name, ownerId });
  },
  listTokens: (workspaceId) =>
    engine.read(({ store }) => {
      const workspace = requireWorkspace(store, workspaceId);
      return store.serviceTokens
        .list({ workspaceId: workspace.id })
        .map(({ id, name, valueHint, createdAt, expiresAt }) => ({
          ...{ id, name, valueHint },
          createdAt: new Date(createdAt).toISOString(),
          expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
        }));
    }),
  createToken: async (workspaceId, name) => {
    const workspace = await engine.read(({ store }) => requireWorkspace(store, workspaceId));
    return engine.seed.serviceToken({ name }, { workspaceId: workspace.id });
  },
  deleteToken: (workspaceId, id) =>
    engine.write([workspaceId], ({ store }) => {
      const workspace = requireWorkspace(store, workspaceId);
      if (store.serviceTokens.get(id)?.workspaceId !== workspace.id)
        throw serveErrors.notFound("token", id, `mgmt serve tokens list --workspace ${workspace.id}`);
      store.serviceTokens.delete(id);
    }),
  createAgentToken: async ({ agentId, sponsor, expiresAt }) => {
    if (!/^[\w.:-]{1,128}$/.test(agentId))
      throw serveErrors.valueInvalid(
        "The id of an agent",
        "up to 128 letters, digits, and characters of ._:-",
      );
    const sponsorId = (await findUserId(engine, sponsor)) ?? sponsor;
    const workspaceId = await engine.read(({ store }) => store.workspaces.find({ memberIds: sponsorId })?.id);
    if (workspaceId === undefined) throw serveErrors.notAMember(sponsor);
    const token = await engine.tokens.agent({ agentId, sponsorId, expiresAt });
    return { token, agentId, sponsorId, workspaceId };
  },
  listApprovals: () => engine.approvals.list(),
  approve: (id, windowMs) =>
    translateDecisionErrors(id, () =>
      windowMs === undefined ? engine.approvals.approve(id) : engine.approvals.approveWindow(id, windowMs),
    ),
  deny: (id) => translateDecisionErrors(id, () => engine.approvals.deny(id)),
  listJobs: () => engine.listJobs(),
  retryJobs: (ids) => engine.retryJobs(ids),
});

type Store = Parameters<Parameters<StoredServer["read"]>[0]>[0]["store"];

const requireWorkspace = (store: Store, id: string): { id: string } => {
  const workspace = store.workspaces.get(id);
  if (!workspace) throw serveErrors.notFound("workspace", id, "mgmt serve workspaces list");
  return workspace;
};

/**
 * Runs a decision about an approval.
 *
 * @throws ServeError instead of a `ControlError`, with a hint for operators.
 */
const translateDecisionErrors = async (
  id: string,
  callback: () => Promise<RequestedApproval>,
): Promise<RequestedApproval> => {
  try {
    return await callback();
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw error.status === 404
      ? serveErrors.notFound("approval", id, "mgmt serve approvals list")
      : serveErrors.approvalRejected(error.message, error);
  }
};

/** Returns the id of the user with an email address, in any case of its letters; undefined if there is none. */
const findUserId = (engine: StoredServer, email: string): Promise<string | undefined> =>
  engine.read(
    ({ store }) => store.users.list({}).find((user) => user.email.toLowerCase() === email.toLowerCase())?.id,
  );

const withRecords = async <T>(
  settings: ServeSettings,
  options: { migrates?: boolean },
  callback: (serviceRecords: ServiceRecords) => Promise<T>,
): Promise<T> => {
  const serviceRecords = await openServiceRecords(settings, options);
  try {
    return await callback(serviceRecords);
  } finally {
    await serviceRecords.records.close();
  }
};

/** Runs a callback with the rules of the API, without the databases. */
const withEngine = <T>(
  settings: ServeSettings,
  options: { migrates?: boolean },
  callback: (engine: StoredServer) => Promise<T>,
): Promise<T> =>
  withRecords(settings, options, async (serviceRecords) => {
    const defects: unknown[] = [];
    const { records, serverInfo } = serviceRecords;
    const engine = await openServiceEngine(settings, records, {
      baseUrl: getBaseUrl(settings),
      readSystemTime: () => Math.round(Date.now() + serverInfo.clockOffset),
      onDefect: (error) => void defects.push(error),
    });
    const result = await callback(engine);
    if (defects.length > 0) throw defects[0];
    return result;
  });
