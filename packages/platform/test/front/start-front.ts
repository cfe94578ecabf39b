import { join } from "node:path";
import { ConnectionFaults } from "@mgmt/engine";
import { afterEach } from "vitest";
import { toDatabaseName } from "@mgmt/cluster/policy/names";
import type { PostgresDatabases } from "@mgmt/cluster/postgres-databases";
import { type DatabaseDirectory, Front, type FrontOptions } from "../../src/front/front.js";
import { findLongLivedPort } from "../../src/machine/ports.js";
import { type ServerCredentials, loadServerCredentials } from "../../src/machine/tls/server-credentials.js";
import type { Cluster } from "../cluster.js";

export interface StartedFront {
  front: Front;
  credentials: ServerCredentials;
  /** Errors that should not happen. */
  defects: unknown[];
}

/** The current names of databases in the API, by their names in Postgres. */
export const names = new Map<string, string>();

export const directoryOf = (
  databases: Pick<PostgresDatabases, "findDatabase" | "endReasonOf">,
): DatabaseDirectory => ({
  findDatabase: (user, limits) => databases.findDatabase(user, limits),
  findName: (database) => Promise.resolve(names.get(database)),
  endReasonOf: (database) => databases.endReasonOf(database),
});

/** Returns a function that starts a front of the cluster. Every test closes its fronts. */
export const frontStarter = (cluster: Cluster) => {
  const fronts: Front[] = [];
  afterEach(async () => {
    for (const front of fronts.splice(0)) await front.close();
  });
  return async (options: Partial<FrontOptions> = {}, open = true): Promise<StartedFront> => {
    const credentials = await loadServerCredentials(join(cluster.directory, "tls"), { isDurable: false });
    const defects: unknown[] = [];
    const front = await Front.listen({
      port: await findLongLivedPort("127.0.0.1"),
      credentials,
      postgres: { path: cluster.socketFile },
      connectionLimit: null,
      faults: new ConnectionFaults({ draw: () => 0, findDatabaseName: toDatabaseName }),
      onDefect: (error) => defects.push(error),
      ...options,
    });
    fronts.push(front);
    if (open) front.open(directoryOf(cluster.databases));
    return { front, credentials, defects };
  };
};
