import type { DatabaseAddress, DatabaseEngine } from "./database-engine.js";

const resolvedPromise = Promise.resolve();

const maxCachedAddresses = 10_000;

type Endpoints = ReturnType<DatabaseEngine["getEndpoints"]>;

/**
 * Returns an engine that creates no databases. It generates addresses under `domain`, and its work succeeds
 * immediately.
 */
export const createMemoryDatabaseEngine = (domain: string): DatabaseEngine => {
  const buildAddress = (databaseId: string, endpoint: string, port: number): DatabaseAddress => {
    const database = databaseId.replace(/^db_/, "");
    return { host: `${database}.${endpoint}.${domain}`, port, database };
  };
  const buildAddresses = (databaseId: string): Endpoints => ({
    direct: buildAddress(databaseId, "db", 5432),
    pooled: buildAddress(databaseId, "pooled", 6543),
    accelerate: buildAddress(databaseId, "accelerate", 443),
  });
  // Lists compare the addresses of each database again and again.
  const addressCache = new Map<string, Endpoints>();
  return {
    getEndpoints: (databaseId) => {
      const cachedAddresses = addressCache.get(databaseId);
      if (cachedAddresses) return cachedAddresses;
      const endpoints = buildAddresses(databaseId);
      if (addressCache.size >= maxCachedAddresses) addressCache.clear();
      addressCache.set(databaseId, endpoints);
      return endpoints;
    },
    create: () => resolvedPromise,
    drop: () => resolvedPromise,
    restore: () => resolvedPromise,
    grant: () => resolvedPromise,
    revoke: () => resolvedPromise,
    backup: () => Promise.resolve({ size: 0 }),
    dropBackup: () => resolvedPromise,
    // Restoring any backup succeeds.
    hasBackup: () => Promise.resolve(true),
    readUsage: () => Promise.resolve({ bytes: 0, operations: 0 }),
  };
};
