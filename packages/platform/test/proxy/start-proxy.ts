import { once } from "node:events";
import { type AddressInfo, type Socket, createServer } from "node:net";
import { join } from "node:path";
import { ConnectionFaults } from "@mgmt/engine";
import { afterEach, onTestFinished } from "vitest";
import { toDatabaseName } from "@mgmt/cluster/policy/names";
import type { PostgresDatabases } from "@mgmt/cluster/postgres-databases";
import {
  type DatabaseDirectory,
  PostgresProxy,
  type PostgresProxyOptions,
} from "../../src/proxy/postgres-proxy.js";
import { chooseStablePort } from "../../src/machine/ports.js";
import { type ServerCredentials, loadServerCredentials } from "../../src/machine/tls/server-credentials.js";
import type { Cluster } from "../cluster.js";
import { firstMessage } from "./wire.js";

export interface StartedProxy {
  proxy: PostgresProxy;
  credentials: ServerCredentials;
  /** Errors that should not happen. */
  defects: unknown[];
}

/** The current names of databases in the API, by their names in Postgres. */
export const names = new Map<string, string>();

export const directoryOf = (
  databases: Pick<PostgresDatabases, "findDatabase" | "getTerminationReason">,
): DatabaseDirectory => ({
  findDatabase: (user, limits) => databases.findDatabase(user, limits),
  findApiName: (database) => Promise.resolve(names.get(database)),
  findTerminationReason: (database) => databases.getTerminationReason(database),
});

/** Returns a function that starts a proxy of the cluster. Every test closes its proxies. */
export const proxyStarter = (cluster: Cluster) => {
  const proxies: PostgresProxy[] = [];
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });
  return async (options: Partial<PostgresProxyOptions> = {}, open = true): Promise<StartedProxy> => {
    const credentials = await loadServerCredentials(join(cluster.directory, "tls"), { isDurable: false });
    const defects: unknown[] = [];
    const proxy = await PostgresProxy.listen({
      port: await chooseStablePort("127.0.0.1"),
      credentials,
      postgres: { path: cluster.socketFile },
      connectionLimit: null,
      faults: new ConnectionFaults({ random: () => 0, findDatabaseName: toDatabaseName }),
      onDefect: (error) => defects.push(error),
      ...options,
    });
    proxies.push(proxy);
    if (open) proxy.open(directoryOf(cluster.databases));
    return { proxy, credentials, defects };
  };
};

/** The startup message of a client. */
export const startup = firstMessage([["user", "anybody"]]);

/** Returns a function that starts a program in place of Postgres, with a proxy for it. They end after the test. */
export const proxyOfProgramStarter = (cluster: Cluster) => {
  const start = proxyStarter(cluster);
  return async (serve: (socket: Socket) => void, options: Partial<PostgresProxyOptions> = {}) => {
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
    const proxy = await start({ postgres: { host: "127.0.0.1", port }, ...options });
    return { ...proxy, sockets };
  };
};
