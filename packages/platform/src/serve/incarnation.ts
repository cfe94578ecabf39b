import { createHash } from "node:crypto";
import type { OpenDatabases } from "@mgmt/cluster/open-databases";
import { ServerLease } from "@mgmt/cluster/rows/server-lease";
import type { RecordKeys } from "@mgmt/cluster/rows/record-keys";
import type { SettingDigests } from "@mgmt/cluster/rows/server-registry";
import type { StoredServer } from "@mgmt/engine/internal";
import type { ServeSettings } from "./config-schema.js";
import { toKeyFileError } from "./key-file.js";
import {
  type ServiceRecords,
  getBaseUrl,
  openServiceDatabases,
  openServiceEngine,
  openServiceRecords,
  readEngineSettings,
} from "./open-service.js";
import { parsePostgresUrl } from "./postgres-url.js";
import { createRejectedSocket, createSocket } from "./sockets.js";
import { maxClockDifference } from "./probe.js";

/** The build replaces it. */
declare const __MGMT_VERSION__: string | undefined;

const version = typeof __MGMT_VERSION__ === "undefined" ? "development" : __MGMT_VERSION__;

export interface IncarnationOptions {
  /** URL of the API for its clients. */
  readonly baseUrl: string;
  /** Called once, when others have taken the work of this server. */
  readonly onLost: () => void;
  /** Time between heartbeats, in milliseconds. Default: the interval of `ServerLease`. */
  readonly heartbeatIntervalMs?: number | undefined;
  readonly onLog: (line: string) => void;
  readonly onDefect: (error: unknown) => void;
}

/** One life of a server, from its registration until it ends or other servers fence it. */
export interface Incarnation {
  readonly engine: StoredServer;
  readonly serviceRecords: ServiceRecords;
  readonly databases: OpenDatabases;
  /** Closes all connections. Work that is not finished fails, and other servers repeat it. */
  close(): Promise<void>;
}

/**
 * Registers a server, and opens the records, the databases and the API.
 *
 * @throws ServeError; ClusterError. Nothing stays open then.
 */
export const openIncarnation = async (
  settings: ServeSettings,
  { baseUrl, heartbeatIntervalMs, onLost, onLog, onDefect }: IncarnationOptions,
): Promise<Incarnation> => {
  const lease = new ServerLease(createSocket, createRejectedSocket);
  const serviceRecords = await openServiceRecords(settings, {
    server: lease,
    registration: { version, settings: digestSettings(settings) },
    onLog,
  });
  const { records, address, serverInfo, keys } = serviceRecords;
  let databases: OpenDatabases | undefined;
  let { clockOffset } = serverInfo;
  const close = async (): Promise<void> => {
    await databases?.close().catch(() => undefined);
    await records.close().catch(() => undefined);
    await lease.close();
  };
  try {
    lease.start({
      address,
      registry: records.servers,
      heartbeatIntervalMs,
      refreshKeyId: createKeyReader(keys, settings.keyFile, onLog),
      onLost,
      onReplaced: () => records.clearRowCache(),
      onLog,
      onClockOffset: (milliseconds) => {
        clockOffset = milliseconds;
        if (Math.abs(milliseconds) > maxClockDifference * 1_000)
          onLog(
            `The clocks of this machine and of Postgres are ${String(Math.round(milliseconds / 1_000))} s apart`,
          );
      },
      terminateOtherSessions: async (serverId) => databases?.terminateSessionsOf(serverId),
    });
    if (settings.clusterUrl !== undefined)
      lease.monitorAddress(await parsePostgresUrl("clusterUrl", settings.clusterUrl));
    databases = await openServiceDatabases(settings, serviceRecords, onLog);
    const engine = await openServiceEngine(settings, records, {
      baseUrl,
      databaseEngine: databases.engine,
      readSystemTime: () => Math.round(Date.now() + clockOffset),
      onDefect,
    });
    return { engine, serviceRecords, databases, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/**
 * Returns a function that begins to read the key file again, and returns the id of the key that encrypts until then. Does not wait,
 * because a file system can. Reports each problem once.
 */
const createKeyReader = (
  keys: RecordKeys,
  keyFile: string,
  onLog: (line: string) => void,
): (() => string) => {
  let lastProblem: string | undefined;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      await keys.reload();
      lastProblem = undefined;
    } catch (error) {
      const keyFileError = toKeyFileError(keyFile, error);
      const problem = keyFileError instanceof Error ? keyFileError.message : String(keyFileError);
      if (problem !== lastProblem) onLog(`${problem}. The server continues with the keys that it has`);
      lastProblem = problem;
    }
  };
  return () => {
    reading ??= read().finally(() => (reading = undefined));
    return keys.current.id;
  };
};

/** Returns digests of the settings that all servers must have in common. */
const digestSettings = (settings: ServeSettings): SettingDigests => {
  const { clusterUrl, databaseAddress, databaseSslMode } = settings;
  const { requests, windowSeconds, unknownFields, errorCodes } = readEngineSettings(settings);
  const values: Record<string, unknown> = {
    // Servers may log in with other passwords, or reach Postgres at other addresses.
    clusterUrl: clusterUrl !== undefined,
    // Tokens are valid for this address only, so servers that listen at several addresses need one in common.
    baseUrl: getBaseUrl(settings),
    databaseAddress,
    databaseSslMode,
    "limits.requests": requests,
    "limits.windowSeconds": windowSeconds,
    unknownFields,
    errorCodes,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      createHash("sha256")
        .update(JSON.stringify(value ?? null))
        .digest("base64url")
        .slice(0, 11),
    ]),
  );
};
