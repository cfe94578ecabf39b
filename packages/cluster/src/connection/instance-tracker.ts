import { Client, type ClientBase } from "pg";

/** Identifies a Postgres instance, even if the address points to another one later. */
const instanceQuery = {
  text: `select pg_catalog.pg_postmaster_start_time()::pg_catalog.text as instance,
    pg_catalog.pg_is_in_recovery() as "isStandby"`,
  // A new connection is not tracked yet: if its instance is replaced, only this timeout closes it.
  query_timeout: 5_000,
};

/** The instance that an address currently points to. */
interface PostgresInstance {
  id: string;
  readonly replacedIds: Set<string>;
  readonly clients: Set<Client>;
}

/**
 * Keeps all connections of a server to one instance of Postgres. After a failover, connections to the old primary may stay open, and locks
 * held there no longer exclude other servers. The first connection to the new instance therefore closes all connections to the old one,
 * which is not used again.
 */
export class InstanceTracker {
  readonly #instances = new Map<string, PostgresInstance>();
  readonly #onReplaced: (address: string) => void;

  /** @param onReplaced called when the address points to another instance. */
  constructor(onReplaced: (address: string) => void) {
    this.#onReplaced = onReplaced;
  }

  /**
   * Registers a connection that has just been opened.
   *
   * @returns true if it is the first connection to a new instance. Work that was started on the previous instance must not continue on it.
   * @throws Error when it connects to a standby, or to an instance that was replaced or does not respond.
   */
  async register(client: ClientBase): Promise<boolean> {
    // `pg.Pool` types its clients as `ClientBase`.
    if (!(client instanceof Client)) throw new TypeError("The connection is not one of the driver");
    const { rows } = await client.query<{ instance: string; isStandby: boolean }>(instanceQuery);
    const [row] = rows;
    const address = `${client.host}:${String(client.port)}`;
    if (row === undefined || row.isStandby) throw new Error(`${address} leads to a standby server`);
    const currentInstance = this.#instances.get(address);
    const instance = this.#resolveInstance(address, currentInstance, row.instance);
    instance.clients.add(client);
    client.once("end", () => instance.clients.delete(client));
    return currentInstance !== undefined && currentInstance !== instance;
  }

  #resolveInstance(
    address: string,
    currentInstance: PostgresInstance | undefined,
    id: string,
  ): PostgresInstance {
    if (currentInstance?.id === id) return currentInstance;
    if (currentInstance?.replacedIds.has(id) === true)
      throw new Error(`${address} leads to a Postgres server that another one has replaced`);
    const replacedIds =
      currentInstance === undefined ? [] : [...currentInstance.replacedIds, currentInstance.id];
    const instance: PostgresInstance = { id, replacedIds: new Set(replacedIds), clients: new Set() };
    this.#instances.set(address, instance);
    if (currentInstance === undefined) return instance;
    this.#onReplaced(address);
    // The old server may not respond, so the sockets are closed without a Terminate message.
    for (const { connection } of currentInstance.clients) connection.stream.destroy();
    return instance;
  }
}
