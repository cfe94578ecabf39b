/** A connection of a customer's database. */
export interface StoredConnection {
  readonly connectionId: string;
  readonly connectionString: string;
}

/** Keeps connection strings in memory. Replace it with the secret store of your platform. */
export class SecretStore {
  readonly #connections = new Map<string, StoredConnection>();

  has(customer: string): boolean {
    return this.#connections.has(customer);
  }

  get(customer: string): StoredConnection {
    const connection = this.#connections.get(customer);
    if (!connection) throw new Error(`No connection of ${customer} is stored`);
    return connection;
  }

  set(customer: string, connection: StoredConnection): void {
    this.#connections.set(customer, connection);
  }
}
