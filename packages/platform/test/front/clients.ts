import type { DatabaseCredential } from "@mgmt/engine";
import { Client, type ClientConfig } from "pg";
import type { StartedFront } from "./start-front.js";

/** Connects through a front. */
export const connect = async (
  { front }: StartedFront,
  { user, pass }: Pick<DatabaseCredential, "user" | "pass">,
  options: ClientConfig = {},
): Promise<Client> => {
  const client = new Client({
    host: "127.0.0.1",
    port: front.port,
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
