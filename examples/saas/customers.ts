import type { ConnectionWithSecrets, MgmtClient } from "@mgmt/sdk";
import type { SecretStore } from "./secret-store.js";

/** What the operations below need: a client, the store of connection strings, and the signal of the caller's request. */
export interface Call {
  readonly client: MgmtClient;
  readonly secrets: SecretStore;
  readonly signal: AbortSignal;
}

/** A customer's own database. */
export interface CustomerDatabase {
  readonly id: string;
  readonly status: string;
}

/**
 * Gives a customer a project with a database, and stores its connection string. A sign-up that was interrupted continues when it is
 * repeated, and two at the same time end with one project.
 */
export const signUp = async (
  customer: string,
  { client, secrets, signal }: Call,
): Promise<CustomerDatabase & { readonly created: boolean }> => {
  const project = await client.projects.ensure(
    { logicalId: customer, name: customer, createDatabase: false },
    { signal },
  );
  const database = await client.databases.ensure(
    { projectId: project.resource.id, logicalId: "main", region: "inherit" },
    { signal },
  );
  const { id } = database.resource;
  if (database.created) store(customer, database.connection, secrets);
  else if (!secrets.has(customer)) {
    // The service never returned the password to us, or we lost it.
    store(customer, await client.connections.create({ databaseId: id, name: "app" }, { signal }), secrets);
  }
  const { status } = await client.databases.waitUntilReady(id, { signal, timeoutMs: 60_000 });
  return { id, status, created: database.created };
};

/** Returns the database of a customer, or undefined if the customer has not signed up. */
export const findDatabase = async (
  customer: string,
  { client, signal }: Omit<Call, "secrets">,
): Promise<CustomerDatabase | undefined> => {
  const [project] = await client.projects.list({ logicalId: customer }, { signal }).toArray({ limit: 1 });
  if (!project) return undefined;
  const query = { projectId: project.id, logicalId: "main" };
  const [database] = await client.databases.list(query, { signal }).toArray({ limit: 1 });
  return database && { id: database.id, status: database.status };
};

/** Gives the database of a customer a new password. The old one stops working. */
export const rotate = async (customer: string, { client, secrets, signal }: Call): Promise<void> => {
  store(customer, await client.connections.rotate(secrets.get(customer).connectionId, { signal }), secrets);
};

/** Sets the database of a customer back to its newest backup. Returns undefined if there is none. */
export const restore = async (
  databaseId: string,
  { client, signal }: Omit<Call, "secrets">,
): Promise<CustomerDatabase | undefined> => {
  const { data: backups } = await client.databases.backups.list(databaseId, {}, { signal });
  const newest = backups.find(({ status }) => status === "completed");
  if (!newest) return undefined;
  const source = { type: "backup", databaseId, backupId: newest.id } as const;
  await client.databases.restore(databaseId, { source }, { signal });
  const { id, status } = await client.databases.waitUntilReady(databaseId, { signal, timeoutMs: 60_000 });
  return { id, status };
};

const store = (
  customer: string,
  { id, connectionString }: ConnectionWithSecrets,
  secrets: SecretStore,
): void => {
  secrets.set(customer, { connectionId: id, connectionString });
};
