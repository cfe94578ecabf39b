import { superuser } from "@mgmt/cluster/policy/dedicated-cluster";
import { Client } from "pg";

/** Name of the sessions of the daemon, which do not count as runners. */
export const daemonApplicationName = "mgmt-test-daemon";

/** Opens a session of the superuser. An error after that only closes it, which the next query shows. */
export const openDaemonSession = async (
  { port, password }: { port: number; password: string },
  onClose: () => void,
): Promise<Client> => {
  const client = new Client({
    ...{ host: "127.0.0.1", port, user: superuser, password, database: "postgres" },
    application_name: daemonApplicationName,
  });
  client.on("error", () => undefined);
  await client.connect();
  client.once("end", onClose);
  return client;
};
