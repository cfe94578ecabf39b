import { rm } from "node:fs/promises";
import { type Client, DatabaseError } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Cluster, adminPassword, temporaryDirectory } from "../../../platform/test/cluster.js";
import { createTestKeys } from "../rows/record-keys.js";
import { connectionLimitOf } from "../sessions.js";
import { openRecords } from "../../src/rows/open-records.js";
import { WrappedPrograms } from "../../../platform/test/wrapped-programs.js";

// A cluster that others also use, whose settings leave little room for connections.

const maxConnections = 60;
let directory: string;
let programs: WrappedPrograms;

beforeAll(async () => {
  directory = await temporaryDirectory();
  programs = await WrappedPrograms.make(directory);
  vi.stubEnv("MGMT_POSTGRES", programs.directory);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

const renter = "renter";
const cluster = new Cluster({}, { user: renter });

/** Starts the server with other settings. */
const restartWith = async (settings: Record<string, number>): Promise<string[]> => {
  await cluster.stop();
  const parameters = Object.entries(settings).map(([name, value]) => `-c ${name}=${String(value)}`);
  await programs.insert(`set -- "$@" ${parameters.join(" ")}`);
  const { problems } = await cluster.start([]);
  return problems;
};

/** Opens connections until Postgres refuses one, and returns them. */
const openAll = async (connect: () => Promise<Client>): Promise<Client[]> => {
  const sessions: Client[] = [];
  for (;;) {
    try {
      sessions.push(await connect());
    } catch (error) {
      expect(error).toBeInstanceOf(DatabaseError);
      expect(error).toMatchObject({ code: "53300" });
      return sessions;
    }
  }
};

const recordsAddress = () => ({
  ...{ host: "127.0.0.1", port: cluster.server.port, user: renter, password: adminPassword },
  database: "records",
});

const connectAs = (user: string): Promise<Client> =>
  cluster.connectTo(
    `postgres://${user}:${adminPassword}@127.0.0.1:${String(cluster.server.port)}/postgres?sslmode=disable`,
  );

/** Opens all connections as a role that nothing limits. */
const openAllAsOther = async (): Promise<Client[]> => {
  const admin = await cluster.connectAsAdmin("postgres");
  const { rowCount } = await admin.query("select from pg_roles where rolname = 'other'");
  if (rowCount === 0) await admin.query(`create role other login password '${adminPassword}'`);
  await admin.query("grant connect on database postgres to other");
  await admin.end();
  return openAll(() => connectAs("other"));
};

const closeAll = async (sessions: readonly Client[]): Promise<void> => {
  await Promise.all(sessions.map((session) => session.end()));
};

describe("a tenant that opens all connections that it may", () => {
  it("leaves enough for other tenants and for the platform", async () => {
    await restartWith({ max_connections: maxConnections, superuser_reserved_connections: 3 });
    const [attacker, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const sessions = await openAll(() => cluster.connect(attacker.id, attacker.credential));
    expect(sessions).toHaveLength(Math.floor((maxConnections - 3 - 30) / 2));
    await (await cluster.connect(other.id, other.credential)).query("select");
    await cluster.databases.grant(other.id, { ...other.credential, pass: "fresh" });
    await cluster.databases.drop((await cluster.makeTenant()).id);
    // The records have connections that no tenant can take.
    const records = await openRecords(recordsAddress(), { keys: createTestKeys(), schema: "of_budget" });
    await Promise.all(Array.from({ length: 10 }, () => records.readWorkspaces()));
    await records.close();
    await closeAll(sessions);

    // The control: a role without limits leaves nothing.
    const all = await openAllAsOther();
    await expect(connectAs(renter)).rejects.toMatchObject({ code: "53300" });
    await closeAll(all);
  });

  it("leaves enough also after the server has restarted with fewer connections, while the service goes on", async () => {
    await restartWith({ max_connections: 2 * maxConnections, superuser_reserved_connections: 3 });
    const [attacker, other] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const records = await openRecords(recordsAddress(), { keys: createTestKeys(), schema: "of_budget" });
    await cluster.server.stop();
    await programs.insert(
      `set -- "$@" -c max_connections=${String(maxConnections)} -c superuser_reserved_connections=3`,
    );
    await cluster.startServer();
    await vi.waitFor(() => records.readWorkspaces());
    const limit = Math.floor((maxConnections - 3 - 30) / 2);
    const admin = await cluster.connectAsAdmin("postgres");
    await vi.waitFor(async () => expect(await connectionLimitOf(admin, attacker.id)).toBe(limit));
    await admin.end();
    const sessions = await openAll(() => cluster.connect(attacker.id, attacker.credential));
    expect(sessions).toHaveLength(limit);
    await (await cluster.connect(other.id, other.credential)).query("select");
    await cluster.databases.grant(other.id, { ...other.credential, pass: "fresh" });
    await records.readWorkspaces();
    await records.close();
    await closeAll(sessions);
  });
});

describe("connections that Postgres reserves for the platform", () => {
  const isSupported = (): boolean => cluster.policy.major >= 16;

  it("are asked for while there are none", async ({ skip }) => {
    if (!isSupported()) skip();
    const settings = { max_connections: maxConnections, superuser_reserved_connections: 3 };
    const advice =
      "The platform has no connections that database users cannot take, unless reserved_connections is 30. To prevent it, run: " +
      `GRANT pg_use_reserved_connections TO "${renter}"`;
    expect(await restartWith(settings)).toContain(advice);
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(`grant pg_use_reserved_connections to "${renter}"`);
    await admin.end();
    expect(await restartWith({ ...settings, reserved_connections: 30 })).not.toContain(advice);
  });

  it("are left whatever others open", async ({ skip }) => {
    if (!isSupported()) skip();
    await restartWith({
      max_connections: maxConnections,
      superuser_reserved_connections: 3,
      reserved_connections: 30,
    });
    const all = await openAllAsOther();
    const tenant = await cluster.makeTenant();
    await cluster.databases.drop(tenant.id);
    await closeAll(all);
  });
});

describe("a start", () => {
  it("says that tenants could keep locks without a session", async () => {
    expect(await restartWith({ max_prepared_transactions: 5 })).toContain(
      "Database users can keep locks without a session, which the platform cannot end. To prevent it, set max_prepared_transactions to 0",
    );
  });
});
