import { ConnectionFaults } from "@mgmt/engine";
import { StoredServer } from "@mgmt/engine/internal";
import { createServer } from "@mgmt/engine/http";
import { AdminConnection } from "@mgmt/cluster/connection/admin-connection";
import { toDatabaseName } from "@mgmt/cluster/policy/names";
import { openDatabases } from "@mgmt/cluster/open-databases";
import { PostgresProxy } from "../src/proxy/postgres-proxy.js";
import type { ClusterConnectionOptions } from "@mgmt/cluster/policy/address";
import { createDedicatedCluster } from "@mgmt/cluster/policy/dedicated-cluster";
import { chooseStablePort } from "../src/machine/ports.js";
import { readProcessTitles } from "../src/machine/postgres/process-titles.js";
import { findApiDatabases } from "@mgmt/cluster/repair/api-databases";
import type { DatabaseAddress } from "@mgmt/cluster/policy/address";
import { openRecords } from "@mgmt/cluster/rows/open-records";
import { createTestKeys } from "../../cluster/test/rows/record-keys.js";
import { installation } from "./installation.js";
import { loadServerCredentials } from "../src/machine/tls/server-credentials.js";

// Serves the API with real databases from a running cluster, until standard input ends. Prints its URL, its database port and a
// token.

export interface ServeDatabases {
  admin: ClusterConnectionOptions;
  major: number;
  records: DatabaseAddress;
  schema: string;
  socketFile: string;
  /** Directory of the certificate. */
  tls: string;
}

const {
  admin,
  major,
  records: address,
  schema,
  socketFile,
  tls,
} = JSON.parse(process.argv[2] ?? "{}") as ServeDatabases;

const keys = createTestKeys();
const records = await openRecords(address, { schema, keys });
const proxy = await PostgresProxy.listen({
  port: await chooseStablePort("127.0.0.1"),
  credentials: await loadServerCredentials(tls, { isDurable: false }),
  postgres: { path: socketFile },
  connectionLimit: null,
  faults: new ConnectionFaults({ random: Math.random, findDatabaseName: toDatabaseName }),
  onDefect: (error) => console.error(error),
});
const recorded = async () => {
  const reader = new AdminConnection(createDedicatedCluster(admin, major, readProcessTitles, installation));
  try {
    return await findApiDatabases(reader, schema, keys);
  } finally {
    await reader.close();
  }
};
const { sessions } = records;
const client = { host: "127.0.0.1", port: proxy.port };
const endpoints = { direct: client, pooled: client, accelerate: client };
const cluster = createDedicatedCluster({ ...admin, endpoints }, major, readProcessTitles, installation);
const databases = await openDatabases(cluster, recorded, {
  others: { sessions, listServerIds: () => Promise.resolve([""]) },
});
for (const problem of databases.problems) console.error(problem);
proxy.open({
  findDatabase: (user, limits) => databases.engine.findDatabase(user, limits),
  findApiName: () => Promise.resolve(undefined),
  findTerminationReason: (database) => databases.engine.getTerminationReason(database),
});
// All processes sign and accept tokens of the same issuer, as behind one load balancer.
const url = "http://mgmt.test";
const { engine, baseUrl, close } = await createServer({
  createEngine: () =>
    StoredServer.open({
      records,
      databaseEngine: databases.engine,
      dataPlane: proxy,
      settings: { baseUrl: url, authUrl: url, lifecycle: { provisioning: 0, recovering: 0 } },
    }),
});
engine.start();
const token = await engine.tokens.user({ expiresAt: "2100-01-01" });
process.stdout.write(`${JSON.stringify({ baseUrl, token, databasePort: proxy.port })}\n`);
process.stdin.resume().on("end", () => {
  void (async () => {
    await close(0);
    await proxy.close();
    await databases.close();
    await records.close();
    process.exit();
  })();
});
