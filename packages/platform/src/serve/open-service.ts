import { type OpenDatabases, openDatabases } from "@mgmt/cluster/open-databases";
import type { DatabaseAddress, PublicAddress } from "@mgmt/cluster/policy/address";
import type { ServerIdentity } from "@mgmt/cluster/policy/server-identity";
import { createSharedCluster } from "@mgmt/cluster/policy/shared-cluster";
import type { ApiDatabase } from "@mgmt/cluster/repair/reconcile";
import { findApiDatabases, findDiscardedIds, markRecordsAsLost } from "@mgmt/cluster/repair/api-databases";
import { NewerSchemaError, OlderServersError, SchemaNotReadyError } from "@mgmt/cluster/rows/migrate";
import { type OpenRecords, type RecordsOptions, openRecords } from "@mgmt/cluster/rows/open-records";
import { SettingsDifferError } from "@mgmt/cluster/rows/server-registry";
import { type RecordKeys, UnknownRecordKeyError } from "@mgmt/cluster/rows/record-keys";
import { recordsSchema } from "@mgmt/cluster/rows/records-location";
import { type PartialSettings, type DatabaseEngine, createMemoryDatabaseEngine } from "@mgmt/engine";
import { StoredServer, createOperatorSignIn } from "@mgmt/engine/internal";
import { serveErrors } from "../errors/serve-error.js";
import type { ServeSettings } from "./config-schema.js";
import { readKeyFile } from "./key-file.js";
import { parsePostgresUrl } from "./postgres-url.js";
import { type ServerInfo, probeServer } from "./probe.js";

/** The records of a service, and how to reach them. */
export interface ServiceRecords {
  readonly address: DatabaseAddress;
  readonly serverInfo: ServerInfo;
  readonly keys: RecordKeys;
  readonly records: OpenRecords;
}

/**
 * Opens the records.
 *
 * @param options.migrates whether to create them, or to update their schema.
 * @param options.server the server process that works on them. Default: a command, which is short.
 * @throws ServeError; ClusterError.
 */
export const openServiceRecords = async (
  settings: ServeSettings,
  {
    migrates = false,
    server,
    registration,
    onLog,
  }: { migrates?: boolean; server?: ServerIdentity } & Pick<RecordsOptions, "registration" | "onLog"> = {},
): Promise<ServiceRecords> => {
  const address: DatabaseAddress = {
    ...(await parsePostgresUrl("databaseUrl", settings.databaseUrl)),
    ...(server && { server }),
  };
  const keys = await readKeyFile(settings.keyFile);
  const serverInfo = await probeServer(address);
  try {
    const records = await openRecords(address, {
      keys,
      schema: recordsSchema,
      migrates,
      ...(registration && { registration }),
      ...(onLog && { onLog }),
      maxConnections: settings.limits?.recordsConnections ?? 10,
    });
    return { address, serverInfo, keys, records };
  } catch (error) {
    if (error instanceof SchemaNotReadyError)
      throw error.problem === "missing"
        ? serveErrors.notInitialized(address.database)
        : serveErrors.schemaOutdated(address.database, error);
    if (error instanceof NewerSchemaError) throw serveErrors.schemaNewer(address.database, error);
    if (error instanceof OlderServersError) throw serveErrors.serversOlder(error.servers, error);
    if (error instanceof SettingsDifferError) throw serveErrors.settingsDiffer(error.settingNames, error);
    if (error instanceof UnknownRecordKeyError)
      throw serveErrors.keysUnknown(settings.keyFile, error.keyIds, error);
    throw error;
  }
};

/** Opens the databases of the users in the cluster of a service, and repairs them after interrupted work. */
export const openServiceDatabases = async (
  settings: ServeSettings,
  { address, serverInfo, keys, records }: ServiceRecords,
  onLog: (line: string) => void,
): Promise<OpenDatabases> => {
  const clusterAddress =
    settings.clusterUrl === undefined
      ? address
      : {
          ...(await parsePostgresUrl("clusterUrl", settings.clusterUrl)),
          ...(address.server && { server: address.server }),
        };
  const { major } = settings.clusterUrl === undefined ? serverInfo : await probeServer(clusterAddress);
  const endpoint = {
    ...(settings.databaseAddress === undefined
      ? { host: clusterAddress.host, port: clusterAddress.port }
      : parsePublicAddress(settings.databaseAddress)),
    sslMode: settings.databaseSslMode ?? (clusterAddress.tls === undefined ? "disable" : "require"),
  };
  const cluster = createSharedCluster(
    { ...clusterAddress, endpoints: { direct: endpoint, pooled: endpoint, accelerate: endpoint } },
    major,
    records.installation,
  );
  const readApiDatabases = (ids?: readonly string[]): Promise<ApiDatabase[]> =>
    findApiDatabases(records, recordsSchema, keys, ids);
  const databases = await openDatabases(cluster, readApiDatabases, {
    others: {
      sessions: records.sessions,
      listServerIds: async () => (await records.listServers()).map(({ id }) => id),
    },
    readWorkspaces: records.readWorkspaces,
    findDiscardedIds: () => findDiscardedIds(records, recordsSchema),
    ...(settings.clusterUrl === undefined && { schema: recordsSchema }),
    onLog,
  });
  try {
    for (const problem of databases.problems) onLog(problem);
    await markRecordsAsLost(records, recordsSchema, databases.missingData, databases.brokenIds);
    return databases;
  } catch (error) {
    await databases.close();
    throw error;
  }
};

/**
 * Opens the API over the records.
 *
 * @param databaseEngine default: one that makes no databases, for commands that only change records.
 */
export const openServiceEngine = (
  settings: ServeSettings,
  records: OpenRecords,
  {
    databaseEngine = createMemoryDatabaseEngine("unused.invalid"),
    baseUrl,
    readSystemTime,
    onDefect,
  }: {
    baseUrl: string;
    databaseEngine?: DatabaseEngine;
    readSystemTime: () => number;
    onDefect: (error: unknown) => void;
  },
): Promise<StoredServer> =>
  StoredServer.open({
    records,
    settings: buildEngineSettings(settings, baseUrl),
    databaseEngine,
    insertsDefaultRows: false,
    readSystemTime,
    signIn: createOperatorSignIn(formatApprovalText),
    onDefect,
  });

const buildEngineSettings = (settings: ServeSettings, baseUrl: string): PartialSettings => {
  const { requests, windowSeconds, unknownFields, errorCodes } = readEngineSettings(settings);
  return {
    baseUrl,
    authUrl: new URL(baseUrl).origin,
    lifecycle: { provisioning: 0, recovering: 0 },
    rateLimit: requests === null ? null : { requests, window: windowSeconds * 1_000 },
    unknownFields,
    errorCodes,
  };
};

/** Returns the settings of the API, with their defaults. */
export const readEngineSettings = ({
  limits: { requests = 600, windowSeconds = 60 } = {},
  unknownFields = "ignore",
  errorCodes = "contract",
}: ServeSettings) => ({ requests, windowSeconds, unknownFields, errorCodes });

const formatApprovalText = (id: string): string =>
  `An agent asks for the approval ${id}. An operator of this service decides it in the name of the sponsor:\n\n` +
  `  mgmt serve approvals list\n  mgmt serve approvals approve ${id}\n  mgmt serve approvals deny ${id}\n`;

/** Returns where clients reach the API, if the port does not depend on the start. Tokens are valid for this address only. */
export const getBaseUrl = ({ baseUrl, listen = defaultListenAddress, tls }: ServeSettings): string =>
  baseUrl?.replace(/\/+$/, "") ?? `${tls === undefined ? "http" : "https"}://${listen}`;

/** `HOST:PORT` of the API. */
export const defaultListenAddress = "127.0.0.1:4300";

/** @param text `HOST:PORT`, with brackets around an IPv6 address. */
export const parsePublicAddress = (text: string): PublicAddress => {
  const separatorIndex = text.lastIndexOf(":");
  const host = text.slice(0, separatorIndex).replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(text.slice(separatorIndex + 1)) };
};
