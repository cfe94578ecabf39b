import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { ControlError, type ErrorCodes, type PublicClient, type UnknownFields } from "@mgmt/engine";
import { StoredServer } from "@mgmt/engine/internal";
import { type RunningServer, type ServerAddress, createServer, isLoopbackHost } from "@mgmt/engine/http";
import { retryWhileUnavailable } from "../machine/retry-unavailable.js";
import { writeAtomically } from "../machine/data-dir/atomic-file.js";
import { type DataDir, getDataDirPaths } from "../machine/data-dir/data-dir.js";
import {
  type Manifest,
  manifestFormat,
  readDirectoryInode,
  writeManifest,
} from "../machine/data-dir/manifest.js";
import { type OpenDatabases, openDatabases } from "@mgmt/cluster/open-databases";
import type { OpenProxy } from "./open-proxy.js";
import type { OpenPostgres } from "./open-postgres.js";
import { platformErrors } from "../errors/platform-error.js";
import { createIgnoredFieldReporter } from "./ignored-fields.js";
import { ClusterError } from "@mgmt/cluster/policy/cluster-error";
import { recordsSchema } from "@mgmt/cluster/rows/records-location";
import type { EndpointKind, PublicAddress } from "@mgmt/cluster/policy/address";
import { isPortFree } from "../machine/ports.js";
import { readMemoryLimits } from "../machine/memory-limits.js";
import type { Ready } from "./ready.js";
import {
  type PlatformRecords,
  openPlatformRecords,
  markDataLost,
  removeInterruptedCopies,
} from "./platform-records.js";
import type { OpenRecords } from "@mgmt/cluster/rows/open-records";
import type { RecordKeys } from "@mgmt/cluster/rows/record-keys";
import { AlteredSecretError } from "@mgmt/cluster/rows/row-codec";
import { ensureServiceToken } from "./service-token.js";

/** A server that listens. */
export interface OpenServer {
  ready: Ready;
  signInKey: string | null;
  /** Stops the server. Database work that does not finish within the grace period is repeated at the next start. */
  close(): Promise<void>;
}

export { openProxy } from "./open-proxy.js";

interface ServerContext {
  host: string;
  port: number;
  onLog: (line: string) => void;
  dataDir: DataDir;
  postgres: OpenPostgres;
  proxy: OpenProxy;
  recordKeys: RecordKeys;
  oauthClients: readonly PublicClient[];
  unknownFields: UnknownFields;
  errorCodes: ErrorCodes;
  requireSignInKey: boolean;
  acceptRecords: boolean;
}

/** Time that requests and database work in progress have to finish at shutdown, in milliseconds. */
const closeGraceMs = 2_000;

/** Requests per token and window (milliseconds). */
const rateLimit = { requests: 600, window: 60_000 };

/**
 * Opens the records and their databases, and serves the API.
 *
 * @throws PlatformError
 */
export const openServer = async (context: ServerContext): Promise<OpenServer> => {
  try {
    return await retryWhileUnavailable(context.postgres.supervisor, () => tryToOpenServer(context));
  } catch (error) {
    if (error instanceof AlteredSecretError)
      throw platformErrors.dataDirCorrupt(context.dataDir.path, error.message, error);
    throw error;
  }
};

const tryToOpenServer = async (context: ServerContext): Promise<OpenServer> => {
  const { host, port, dataDir, postgres, recordKeys, onLog } = context;
  const platformRecords = await openPlatformRecords(dataDir, postgres, recordKeys, onLog);
  const { records, interruptedDeletionIds } = platformRecords;
  let databases: OpenDatabases | undefined;
  try {
    databases = await openApiDatabases(context, platformRecords);
    return await serveApi(context, { records, databases, interruptedDeletionIds });
  } catch (error) {
    await databases?.close();
    await records.close();
    throw readErrorCode(error) === "EADDRINUSE" ? platformErrors.portTaken(port, host) : error;
  }
};

/** Opens the databases, and records which of them Postgres does not have. */
const openApiDatabases = async (
  { dataDir, proxy, onLog, acceptRecords }: ServerContext,
  platformRecords: PlatformRecords,
): Promise<OpenDatabases> => {
  const { records, cluster: ownCluster, apiDatabases, readApiDatabases, discardedIds } = platformRecords;
  const memoryLimits = dataDir.ephemeral ? await readMemoryLimits(dataDir.path) : undefined;
  const address = { ...ownCluster.address, endpoints: createEndpoints(proxy.server.port) };
  const cluster = { ...ownCluster, address };
  const databases = await openDatabases(cluster, apiDatabases, {
    schema: recordsSchema,
    findDiscardedIds: () => Promise.resolve(discardedIds),
    readApiDatabases,
    memory: memoryLimits,
    readWorkspaces: records.readWorkspaces,
    onLog,
    directory: dataDir.path,
    acceptRecords,
  }).catch((error: unknown) => {
    throw error instanceof ClusterError ? platformErrors.clusterRejected(dataDir.path, error) : error;
  });
  const { missingData, brokenIds, problems } = databases;
  let lostIds: string[] = [];
  try {
    if (apiDatabases.length > 0) {
      lostIds = await markDataLost(cluster, missingData, brokenIds);
      // The user may want to rescue data that is missing from its files.
      if (lostIds.length === 0 && missingData.backupIds.length === 0)
        await removeInterruptedCopies(cluster, getDataDirPaths(dataDir.path).cluster, onLog);
    }
  } catch (error) {
    await databases.close();
    throw error;
  }
  for (const id of lostIds) onLog(`Postgres has no data for the database ${id}`);
  for (const problem of problems) onLog(problem);
  return databases;
};

/** Clients reach every endpoint of a database through the proxy. */
const createEndpoints = (port: number): Record<EndpointKind, PublicAddress> => {
  const proxy = { host: "127.0.0.1", port };
  return { direct: proxy, pooled: proxy, accelerate: proxy };
};

const serveApi = async (
  context: ServerContext,
  {
    records,
    databases,
    interruptedDeletionIds,
  }: { records: OpenRecords; databases: OpenDatabases; interruptedDeletionIds: readonly string[] },
): Promise<OpenServer> => {
  const { host, dataDir, postgres, proxy, onLog, unknownFields, errorCodes } = context;
  const paths = getDataDirPaths(dataDir.path);
  const controlSecret = randomBytes(24).toString("base64url");
  await writeAtomically(paths.controlSecret, controlSecret, { isDurable: false });
  const signInKey = context.requireSignInKey ? randomBytes(32).toString("base64url") : null;
  if (signInKey === null) await rm(paths.signInKey, { force: true });
  else await writeAtomically(paths.signInKey, signInKey, { isDurable: false });

  const createEngine = async ({ baseUrl }: ServerAddress): Promise<StoredServer> => {
    const engine = await StoredServer.open({
      records,
      settings: {
        baseUrl,
        authUrl: baseUrl,
        lifecycle: { provisioning: 0, recovering: 0 },
        rateLimit,
        unknownFields,
        errorCodes,
      },
      databaseEngine: databases.engine,
      dataPlane: proxy.server,
      ...(signInKey !== null && { signInKey }),
      onDefect: (error) => onLog(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    });
    engine.followRequests(createIgnoredFieldReporter(onLog));
    proxy.server.open({
      findDatabase: (user, limits) => databases.engine.findDatabase(user, limits),
      findTerminationReason: (databaseName) => databases.engine.getTerminationReason(databaseName),
      // The names in Postgres are the ids that the server has generated.
      findApiName: (databaseName) => engine.read(({ store }) => store.databases.get(databaseName)?.name),
    });
    // Requests wait, so that they do not find databases whose data no longer exists.
    await engine.finishJobs(interruptedDeletionIds);
    return engine;
  };
  const server = await createServer<StoredServer>({
    host,
    port: await choosePort(context),
    createEngine,
    // The control surface is available on loopback addresses only.
    ...(isLoopbackHost(host) && { controlSecret }),
  });
  try {
    const { engine } = server;
    const serviceToken = await ensureServiceToken(engine, paths.token);
    // The token in the ready line is valid after a reset.
    if (engine.isNew) await engine.saveStateAsInitial();
    for (const client of context.oauthClients) await registerClient(engine, client);
    engine.start();
    void reencrypt(context, records);
    await postgres.synced;
    if (!dataDir.ephemeral) await writeCompleteManifest(context, server.port);
    const { baseUrl } = server;
    return {
      ready: {
        baseUrl,
        authUrl: baseUrl,
        controlUrl: `${baseUrl}/_control`,
        controlSecretFile: paths.controlSecret,
        signInKeyFile: signInKey === null ? null : paths.signInKey,
        ...serviceToken,
        caFile: proxy.caFile,
        postgresPort: postgres.superuserAddress.port,
        copyMethod: postgres.supervisor.copyMethod,
        pid: process.pid,
      },
      signInKey,
      close: () => closeServer(server, databases, records),
    };
  } catch (error) {
    await server.close(0);
    throw error;
  }
};

/** Encrypts the secrets in the records with the first key, if there are others, while the server runs. */
const reencrypt = async (
  { dataDir, recordKeys, onLog }: ServerContext,
  records: OpenRecords,
): Promise<void> => {
  if (recordKeys.ids.length === 1) return;
  const path = getDataDirPaths(dataDir.path).recordKeys;
  try {
    const usedKeyIds = await records.reencrypt();
    onLog(
      usedKeyIds.length === 0
        ? `All secrets in the records are encrypted with the first key in ${path}, so its other lines can be removed`
        : `Some secrets in the records are still encrypted with other keys in ${path} than the first: start mgmt dev again`,
    );
  } catch (error) {
    onLog(
      `Not all secrets in the records could be encrypted with the first key in ${path}: ${String(error)}`,
    );
  }
};

/** @throws PlatformError `platform:invalid_oauth_client`. */
const registerClient = async ({ oauth }: StoredServer, client: PublicClient): Promise<void> => {
  try {
    await oauth.ensurePublicClient(client);
  } catch (error) {
    if (error instanceof ControlError) throw platformErrors.invalidOAuthClient(client.id, error);
    throw error;
  }
};

/** Prefers the port of the last run, so that its URLs and token stay valid. */
const choosePort = async ({ port, host, dataDir }: ServerContext): Promise<number> => {
  const lastPort = dataDir.manifest?.port ?? null;
  return port === 0 && lastPort !== null && (await isPortFree(lastPort, host)) ? lastPort : port;
};

const writeCompleteManifest = async (
  { dataDir, postgres, proxy }: ServerContext,
  port: number,
): Promise<void> => {
  const { manifest, superuserAddress } = postgres;
  const completeManifest: Manifest = {
    ...manifest,
    format: manifestFormat,
    directory: await readDirectoryInode(dataDir.path),
    port,
    postgres: {
      ...manifest.postgres,
      port: proxy.server.port,
      directPort: superuserAddress.port,
      complete: true,
    },
  };
  if (!isDeepStrictEqual(completeManifest, manifest)) await writeManifest(dataDir.path, completeManifest);
};

const closeServer = async (
  server: RunningServer<StoredServer>,
  databases: OpenDatabases,
  records: OpenRecords,
): Promise<void> => {
  const overdue = sleep(closeGraceMs * 2, undefined, { ref: false });
  await Promise.race([server.close(closeGraceMs).catch(() => undefined), overdue]);
  // Unfinished work fails when these are closed. The next start repeats it.
  for (const resource of [databases, records]) {
    await Promise.race([resource.close().catch(() => undefined), overdue]);
  }
};
