import { expect, it, onTestFinished, vi } from "vitest";
import { AdminConnection } from "../../src/connection/admin-connection.js";
import { RoleRemover } from "../../src/databases/role-remover.js";
import { Logins } from "../../src/logins/logins.js";
import { Cluster, secondCredential } from "../../../platform/test/cluster.js";
import { RawClient, firstMessage } from "../../../platform/test/proxy/wire.js";

// In a cluster that others also use, the platform can neither see the roles of logins that are not complete, nor end them.

const cluster = new Cluster({}, { user: "renter" });

/** Begins logins that never end. Nobody needs a password for it. */
const beginLogins = async (user: string, database: string, count: number): Promise<RawClient[]> => {
  const clients: RawClient[] = [];
  for (let index = 0; index < count; index += 1) {
    const client = await RawClient.connect(cluster.server.port);
    onTestFinished(() => void client.socket.destroy());
    const startup = firstMessage([
      ["user", user],
      ["database", database],
    ]);
    // Postgres asks for the password.
    await client.send(startup).receive(1);
    clients.push(client);
  }
  return clients;
};

/** From now on, time passes only when the test says so. */
const makeLogins = () => {
  const admin = new AdminConnection(cluster.policy);
  onTestFinished(() => admin.close());
  const query = vi.spyOn(admin, "query");
  const logins = new Logins(admin, new RoleRemover(admin));
  onTestFinished(() => logins.close());
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const waitUntilWaiting = (): Promise<void> =>
    vi.waitFor(() => {
      const looks = query.mock.calls.filter(([text]) => text.includes("virtualxid"));
      expect(looks.length).toBeGreaterThan(3);
    });
  return { logins, waitUntilWaiting };
};

it("delay a rotation by one second at most", async () => {
  const [victim, attacker] = [await cluster.makeTenant(), await cluster.makeTenant()];
  const halfOpen = await beginLogins(attacker.credential.user, attacker.id, 8);
  const { logins, waitUntilWaiting } = makeLogins();
  const fresh = { ...victim.credential, pass: "fresh" };
  logins.cacheCredential(victim.id, victim.credential);
  const granted = logins.grant(victim.id, fresh);
  await waitUntilWaiting();
  vi.advanceTimersByTime(1_000);
  await granted;
  // The control: they are there still.
  expect(halfOpen.map(({ socket }) => socket.closed)).toEqual(halfOpen.map(() => false));
  await cluster.connect(victim.id, fresh);
});

it("delay the removal of all logins of a database by one second at most", async () => {
  const [victim, attacker] = [await cluster.makeTenant(), await cluster.makeTenant()];
  const second = secondCredential(victim.credential);
  for (const credential of [second, secondCredential(second)])
    await cluster.databases.grant(victim.id, credential);
  const halfOpen = await beginLogins(attacker.credential.user, attacker.id, 8);
  const { logins, waitUntilWaiting } = makeLogins();
  const dropped = logins.dropAllLogins(victim.id);
  await waitUntilWaiting();
  vi.advanceTimersByTime(1_000);
  await dropped;
  expect(halfOpen.map(({ socket }) => socket.closed)).toEqual(halfOpen.map(() => false));
  expect(await cluster.namesIn("rolname", victim.credential.user)).toEqual([]);
});
