import { Client } from "pg";
import { afterEach } from "vitest";

/** Returns a function that opens a session of a tenant. The session stays open until the test ends. */
export const sessionOpener = () => {
  const sessions: Client[] = [];
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.end().catch(() => undefined);
  });
  return async (connectionString: string): Promise<Client> => {
    const session = new Client({ connectionString });
    // The platform ends sessions that are in its way.
    session.on("error", () => undefined);
    await session.connect();
    sessions.push(session);
    return session;
  };
};
