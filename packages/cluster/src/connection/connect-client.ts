import type { Client } from "pg";
import type { ConnectionConfig } from "../policy/address.js";

/**
 * Connects a client outside of a pool.
 *
 * @throws errors of the driver and of `onConnect`. The connection is closed then.
 */
export const connectClient = async (client: Client, { onConnect }: ConnectionConfig): Promise<void> => {
  try {
    await client.connect();
    await onConnect?.(client);
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
};
