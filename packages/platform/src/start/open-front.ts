import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { ConnectionFaults } from "@mgmt/engine";
import { type DataDir, getDataDirPaths, refuseOtherPort } from "../machine/data-dir/data-dir.js";
import { toDatabaseName } from "@mgmt/cluster/policy/names";
import { Front, type FrontOptions } from "../front/front.js";
import type { OpenPostgres } from "./open-postgres.js";
import { chooseLongLivedPort } from "../machine/ports.js";
import { loadServerCredentials } from "../machine/tls/server-credentials.js";

/** A front that listens. */
export interface OpenFront {
  server: Front;
  /** Path of the certificate that clients verify the front with. */
  caFile: string;
}

interface FrontContext {
  dataDir: DataDir;
  postgres: OpenPostgres;
  connectionLimit: number | null;
  onLog: (line: string) => void;
}

/**
 * Starts the front of the databases, on the port of the last run or on a new one. Clients wait until it is opened.
 *
 * @throws PlatformError `platform:port_taken`.
 */
export const openFront = async (context: FrontContext): Promise<OpenFront> => {
  const { dataDir, postgres, connectionLimit, onLog } = context;
  const credentials = await loadServerCredentials(getDataDirPaths(dataDir.path).tls, {
    isDurable: !dataDir.ephemeral,
  });
  const server = await listenOnStablePort(dataDir, {
    credentials,
    postgres: postgres.address,
    connectionLimit,
    faults: new ConnectionFaults({ draw: Math.random, findDatabaseName: toDatabaseName }),
    onDefect: (error) => onLog(`A database connection failed: ${String(error)}`),
  });
  return { server, caFile: credentials.caFile };
};

const listenOnStablePort = async (dataDir: DataDir, options: Omit<FrontOptions, "port">): Promise<Front> => {
  let lastPort = dataDir.manifest?.postgres.port;
  for (let attempt = 1; ; attempt += 1) {
    const port = lastPort ?? (await chooseLongLivedPort("127.0.0.1"));
    try {
      return await Front.listen({ ...options, port });
    } catch (error) {
      if (readErrorCode(error) !== "EADDRINUSE") throw error;
      if (lastPort !== undefined) {
        await refuseOtherPort(dataDir, port);
        lastPort = undefined;
        continue;
      }
      // Another program took the port first.
      if (attempt === 10) throw error;
    }
  }
};
