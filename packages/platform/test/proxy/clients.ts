import type { DatabaseCredential } from "@mgmt/engine";
import { Client, type ClientConfig } from "pg";
import type { StartedProxy } from "./start-proxy.js";

/** Connects through a proxy. */
export const connect = async (
  { proxy }: StartedProxy,
  { user, pass }: Pick<DatabaseCredential, "user" | "pass">,
  options: ClientConfig = {},
): Promise<Client> => {
  const client = new Client({
    host: "127.0.0.1",
    port: proxy.port,
    user,
    password: pass,
    database: "postgres",
    ...options,
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
};

/** Returns the database that a client has reached, and ends it. */
export const databaseOf = async (client: Client): Promise<string> => {
  const { rows } = await client.query<{ name: string }>("select current_database() as name");
  await client.end();
  return rows[0]?.name ?? "";
};
