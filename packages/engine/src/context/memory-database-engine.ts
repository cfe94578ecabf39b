import type { DatabaseAddress, DatabaseEngine } from "./database-engine.js";

const done = Promise.resolve();

const maxKnown = 10_000;

type Endpoints = ReturnType<DatabaseEngine["endpoints"]>;

/**
 * Returns an engine that creates no databases. It generates addresses under `domain`, and its work succeeds
 * immediately.
 */
export const memoryDatabaseEngine = (domain: string): DatabaseEngine => {
  const address = (databaseId: string, endpoint: string, port: number): DatabaseAddress => {
    const database = databaseId.replace(/^db_/, "");
    return { host: `${database}.${endpoint}.${domain}`, port, database };
  };
  const endpointsOf = (databaseId: string): Endpoints => ({
    direct: address(databaseId, "db", 5432),
    pooled: address(databaseId, "pooled", 6543),
    accelerate: address(databaseId, "accelerate", 443),
  });
  // Lists compare the addresses of each database again and again.
  const known = new Map<string, Endpoints>();
  return {
    endpoints: (databaseId) => {
      const cached = known.get(databaseId);
      if (cached) return cached;
      const endpoints = endpointsOf(databaseId);
      if (known.size >= maxKnown) known.clear();
      known.set(databaseId, endpoints);
      return endpoints;
    },
    create: () => done,
    drop: () => done,
    restore: () => done,
    grant: () => done,
    revoke: () => done,
    backup: () => Promise.resolve({ size: 0 }),
    dropBackup: () => done,
    // Restoring any backup succeeds.
    hasBackup: () => Promise.resolve(true),
    usage: () => Promise.resolve({ bytes: 0, operations: 0 }),
  };
};
