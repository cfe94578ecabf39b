import type { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Cluster } from "../cluster.js";
import { connect } from "./clients.js";
import { proxyStarter } from "./start-proxy.js";

/** Longer than the test takes, which moves the clock to its end. */
const closedMs = 600_000;

const cluster = new Cluster({
  maxLocks: 300,
  connectionsPerDatabase: 10,
  sharedConnectionThreshold: 8,
  closedMs,
});
const start = proxyStarter(cluster);

/** The error with which Postgres ends a session. */
const endOf = (client: Client): Promise<unknown> => new Promise((resolve) => client.once("error", resolve));

describe("a session that the platform ends", () => {
  it("learns that its database held too many locks, and so do those that connect meanwhile", async () => {
    const started = await start();
    const tenant = await cluster.makeTenant();
    const observer = await cluster.connectAsAdmin("postgres");
    const session = await connect(started, tenant.credential);
    const idle = await connect(started, tenant.credential);
    const ended = endOf(idle);
    const reason = {
      code: "53400",
      severity: "FATAL",
      message: `the database "${tenant.id}" held too many locks, so its sessions were ended`,
      hint: expect.stringMatching(
        /can hold 300: .*pg_restore without --single-transaction.* after 600 seconds/,
      ),
    };
    // The guard knows the name of the database from its last look.
    await vi.waitFor(async () => {
      const { rows } = await observer.query(
        "select datconnlimit as limit from pg_database where datname = $1",
        [tenant.id],
      );
      expect(rows).toEqual([{ limit: 10 }]);
    });
    const failed = session.query(
      "select pg_advisory_lock(key) from generate_series(1, 400) key; select pg_sleep(60)",
    );
    await expect(failed).rejects.toMatchObject(reason);
    expect(await ended).toMatchObject(reason);
    const refused = await connect(started, tenant.credential).catch((error: unknown) => error);
    expect(refused).toMatchObject({ ...reason, code: "53300" });
    // Without the password, nobody learns about the database.
    const stranger = connect(started, { ...tenant.credential, pass: "wrong" });
    await expect(stranger).rejects.toMatchObject({ code: "28P01" });
    const readClock = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => readClock() + closedMs);
    onTestFinished(() => clock.mockRestore());
    await vi.waitFor(async () => (await connect(started, tenant.credential)).end(), { interval: 100 });
    expect(started.defects).toEqual([]);
  });

  it("learns that all databases together have too many connections", async () => {
    const started = await start();
    const tenants = [await cluster.makeTenant(), await cluster.makeTenant()];
    const clients: Client[] = [];
    const errors: unknown[] = [];
    for (const { credential } of tenants)
      for (let count = 0; count < 6; count += 1) {
        const client = await connect(started, credential).catch((error: unknown) => error);
        if (!(client instanceof Error)) clients.push(client as Client);
        else errors.push(client);
      }
    for (const client of clients) client.on("error", (error) => errors.push(error));
    await vi.waitFor(() => {
      expect(errors).toContainEqual(
        expect.objectContaining({
          code: "53300",
          hint: expect.stringContaining("Close connections that are no longer needed"),
        }),
      );
    });
    for (const client of clients) await client.end().catch(() => undefined);
  });

  it("keeps the error of Postgres when somebody else ends it", async () => {
    const started = await start();
    const tenant = await cluster.makeTenant();
    const [client, other] = [
      await connect(started, tenant.credential),
      await connect(started, tenant.credential),
    ];
    const ended = endOf(client);
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    await other.query("select mgmt_end_session($1)", [rows[0]?.pid]);
    expect(await ended).toMatchObject({
      code: "57P01",
      message: "terminating connection due to administrator command",
    });
    await other.end();
  });
});
