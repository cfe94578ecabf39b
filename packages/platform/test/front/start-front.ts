import { once } from "node:events";
import { type AddressInfo, type Socket, createServer } from "node:net";
import { join } from "node:path";
import { ConnectionFaults } from "@mgmt/engine";
import { afterEach, onTestFinished } from "vitest";
import { toDatabaseName } from "@mgmt/cluster/policy/names";
import type { PostgresDatabases } from "@mgmt/cluster/postgres-databases";
import { type DatabaseDirectory, Front, type FrontOptions } from "../../src/front/front.js";
import { chooseLongLivedPort } from "../../src/machine/ports.js";
import { type ServerCredentials, loadServerCredentials } from "../../src/machine/tls/server-credentials.js";
import type { Cluster } from "../cluster.js";
import { firstMessage } from "./wire.js";

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
  findApiName: (database) => Promise.resolve(names.get(database)),
  findEndReason: (database) => databases.endReasonOf(database),
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
      port: await chooseLongLivedPort("127.0.0.1"),
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

/** The startup message of a client. */
export const startup = firstMessage([["user", "anybody"]]);

/** Returns a function that starts a program in place of Postgres, with a front for it. They end after the test. */
export const frontOfProgramStarter = (cluster: Cluster) => {
  const start = frontStarter(cluster);
  return async (serve: (socket: Socket) => void, options: Partial<FrontOptions> = {}) => {
    const sockets: Socket[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      serve(socket);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    // A listening TCP server has an address of this form.
    const { port } = server.address() as AddressInfo;
    const front = await start({ postgres: { host: "127.0.0.1", port }, ...options });
    return { ...front, sockets };
  };
};
