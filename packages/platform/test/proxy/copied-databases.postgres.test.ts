import { describe, expect, it, vi } from "vitest";
import { HoldPoint, openSteppedDatabases } from "../../../cluster/test/stepped-databases.js";
import { Cluster, newTenant } from "../cluster.js";
import { connect, databaseOf } from "./clients.js";
import { directoryOf, proxyStarter } from "./start-proxy.js";
import { RawClient, errorFields, firstMessage } from "./wire.js";

const cluster = new Cluster();
const start = proxyStarter(cluster);

type Databases = Awaited<ReturnType<typeof openSteppedDatabases>>["databases"];

/** Starts a proxy of databases that a test can hold while they accept no connections. */
const startHeld = async (patience?: number) => {
  const { databases, admin } = await openSteppedDatabases(cluster);
  const started = await start(patience === undefined ? {} : { timeoutMs: patience }, false);
  started.proxy.open(directoryOf(databases));
  const tenant = newTenant();
  await databases.create(tenant.id, { type: "empty" }, [tenant.credential]);
  await databases.backup(tenant.id, `bkp_of_${tenant.id}`);
  const point = new HoldPoint();
  admin.beforeUnused = (name) => (name === tenant.id ? point.wait() : undefined);
  return { ...started, databases, tenant, point };
};

const works: [string, (databases: Databases, id: string) => Promise<unknown>][] = [
  ["a backup", (databases, id) => databases.backup(id, `bkp_later_${id}`)],
  [
    "a copy",
    (databases, id) => {
      const copy = newTenant();
      return databases.create(copy.id, { type: "database", databaseId: id }, [copy.credential]);
    },
  ],
  ["a restore", (databases, id) => databases.restore(id, `bkp_of_${id}`)],
];

describe.each(works)("%s", (_, work) => {
  it("lets new sessions wait, and ends open ones with 57P01", async () => {
    const started = await startHeld();
    const { databases, tenant, point, defects } = started;
    const [idle, busy] = [
      await connect(started, tenant.credential),
      await connect(started, tenant.credential),
    ];
    const ended = new Promise((resolve) => idle.once("error", resolve));
    const canceled = expect(busy.query("select pg_sleep(600)")).rejects.toMatchObject({ code: "57P01" });
    const done = work(databases, tenant.id);
    await point.isReached;
    const connecting = [1, 2].map(() => connect(started, tenant.credential));
    // Another login is found, is let in, and is not of this database.
    const other = newTenant();
    await databases.create(other.id, { type: "empty" }, [other.credential]);
    expect(await databaseOf(await connect(started, other.credential))).toBe(other.id);
    point.release();
    await done;
    for (const client of await Promise.all(connecting)) expect(await databaseOf(client)).toBe(tenant.id);
    await canceled;
    expect(await ended).toMatchObject({
      code: "57P01",
      severity: "FATAL",
      message: `the session was ended, because the database "${tenant.id}" is copied or restored`,
      hint: expect.stringContaining("Connect again"),
    });
    expect(defects).toEqual([]);
  });

  it("refuses new sessions with 57P03 when it takes longer than the proxy waits", async () => {
    const started = await startHeld(20);
    const { databases, tenant, point, defects } = started;
    const done = work(databases, tenant.id);
    await point.isReached;
    await expect(connect(started, tenant.credential)).rejects.toMatchObject({
      code: "57P03",
      message: `the database "${tenant.id}" is being copied or restored`,
      hint: expect.stringContaining("Try again"),
    });
    point.release();
    await done;
    expect(await databaseOf(await connect(started, tenant.credential))).toBe(tenant.id);
    expect(defects).toEqual([]);
  });
});

it("lets a client with a password in, though clients without one have taken all places to wait", async () => {
  const started = await startHeld();
  const { databases, tenant, point, proxy, defects } = started;
  const done = databases.backup(tenant.id, `bkp_flooded_${tenant.id}`);
  await point.isReached;
  const flood = await Promise.all(Array.from({ length: 110 }, () => RawClient.connect(proxy.port)));
  for (const client of flood) client.send(firstMessage([["user", tenant.credential.user]]));
  const refused: (string | undefined)[] = [];
  for (const client of flood) void client.closed.then((bytes) => refused.push(errorFields(bytes)?.["C"]));
  // Ten more than there are places.
  await vi.waitFor(() => expect(refused).toEqual(Array(10).fill("53300")));
  const own = connect(started, tenant.credential);
  await vi.waitFor(() => expect(refused).toHaveLength(11));
  point.release();
  await done;
  expect(await databaseOf(await own)).toBe(tenant.id);
  for (const client of flood) client.socket.destroy();
  expect(defects).toEqual([]);
});
