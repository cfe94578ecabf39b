import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { ConnectionFaults } from "@mgmt/engine";
import { type DataDir, getDataDirPaths, assertPortChangeAllowed } from "../machine/data-dir/data-dir.js";
import { toDatabaseName } from "@mgmt/cluster/policy/names";
import { PostgresProxy, type PostgresProxyOptions } from "../proxy/postgres-proxy.js";
import type { OpenPostgres } from "./open-postgres.js";
import { chooseStablePort } from "../machine/ports.js";
import { loadServerCredentials } from "../machine/tls/server-credentials.js";

/** A proxy that listens. */
export interface OpenProxy {
  server: PostgresProxy;
  /** Path of the certificate that clients verify the proxy with. */
  caFile: string;
}

interface ProxyContext {
  dataDir: DataDir;
  postgres: OpenPostgres;
  connectionLimit: number | null;
  onLog: (line: string) => void;
}

/**
 * Starts the proxy of the databases, on the port of the last run or on a new one. Clients wait until it is opened.
 *
 * @throws PlatformError `platform:port_taken`.
 */
export const openProxy = async (context: ProxyContext): Promise<OpenProxy> => {
  const { dataDir, postgres, connectionLimit, onLog } = context;
  const credentials = await loadServerCredentials(getDataDirPaths(dataDir.path).tls, {
    isDurable: !dataDir.ephemeral,
  });
  const server = await listenOnStablePort(dataDir, {
    credentials,
    postgres: postgres.address,
    connectionLimit,
    faults: new ConnectionFaults({ random: Math.random, findDatabaseName: toDatabaseName }),
    onDefect: (error) => onLog(`A database connection failed: ${String(error)}`),
  });
  return { server, caFile: credentials.caFile };
};

const listenOnStablePort = async (
  dataDir: DataDir,
  options: Omit<PostgresProxyOptions, "port">,
): Promise<PostgresProxy> => {
  let lastPort = dataDir.manifest?.postgres.port;
  for (let attempt = 1; ; attempt += 1) {
    const port = lastPort ?? (await chooseStablePort("127.0.0.1"));
    try {
      return await PostgresProxy.listen({ ...options, port });
    } catch (error) {
      if (readErrorCode(error) !== "EADDRINUSE") throw error;
      if (lastPort !== undefined) {
        await assertPortChangeAllowed(dataDir, port);
        lastPort = undefined;
        continue;
      }
      // Another program took the port first.
      if (attempt === 10) throw error;
    }
  }
};
