import { Client, type ClientBase } from "pg";

/** What tells instances of Postgres apart, also when the same address leads to one after the other. */
const instanceQuery = {
  text: `select pg_catalog.pg_postmaster_start_time()::pg_catalog.text as instance,
    pg_catalog.pg_is_in_recovery() as standby`,
  // Nothing ends a new connection when its instance is replaced.
  query_timeout: 5_000,
};

/** The instance that an address leads to. */
interface Instance {
  id: string;
  readonly replacedIds: Set<string>;
  readonly clients: Set<Client>;
}

/**
 * Keeps all connections of a server to one instance of Postgres. When a standby takes the place of the primary, connections to the old one
 * may stay open, and locks that a server has there exclude nobody any more. So the first connection to another instance ends all to the
 * one before, as a restart of Postgres would, and that one is not used again.
 */
export class Instances {
  readonly #instances = new Map<string, Instance>();
  readonly #onReplaced: (address: string) => void;

  /** @param onReplaced called when an address leads to another instance. */
  constructor(onReplaced: (address: string) => void) {
    this.#onReplaced = onReplaced;
  }

  /**
   * Admits a connection that has just been opened.
   *
   * @returns whether it is the first to another instance. It must not be used for work that has begun at the one before.
   * @throws Error when it leads to a standby, or to an instance that was replaced or does not respond.
   */
  async admit(client: ClientBase): Promise<boolean> {
    // The types of pools do not say it.
    if (!(client instanceof Client)) throw new TypeError("The connection is not one of the driver");
    const { rows } = await client.query<{ instance: string; standby: boolean }>(instanceQuery);
    const [row] = rows;
    const address = `${client.host}:${String(client.port)}`;
    if (row === undefined || row.standby) throw new Error(`${address} leads to a standby server`);
    const known = this.#instances.get(address);
    const instance = this.#use(address, known, row.instance);
    instance.clients.add(client);
    client.once("end", () => instance.clients.delete(client));
    return known !== undefined && known !== instance;
  }

  #use(address: string, known: Instance | undefined, id: string): Instance {
    if (known?.id === id) return known;
    if (known?.replacedIds.has(id) === true)
      throw new Error(`${address} leads to a Postgres server that another one has replaced`);
    const replacedIds = known === undefined ? [] : [...known.replacedIds, known.id];
    const instance: Instance = { id, replacedIds: new Set(replacedIds), clients: new Set() };
    this.#instances.set(address, instance);
    if (known === undefined) return instance;
    this.#onReplaced(address);
    // The server may not respond, so there is no goodbye.
    for (const { connection } of known.clients) connection.stream.destroy();
    return instance;
  }
}
