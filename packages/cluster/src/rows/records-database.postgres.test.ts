import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRecordsDatabase } from "./records-database.js";
import { openRecords } from "./open-records.js";
import { createTestKeys } from "../../test/rows/record-keys.js";
import { Cluster, adminPassword } from "../../../platform/test/cluster.js";

const cluster = new Cluster({}, { user: "renter" });
const keys = createTestKeys();

const addressOf = (database: string, user = "renter") => ({
  ...{ host: "127.0.0.1", port: cluster.options.port, user, password: adminPassword },
  database,
});

const connect = async (database: string, user?: string): Promise<Client> => {
  const client = new Client(addressOf(database, user));
  onTestFinished(() => client.end());
  await client.connect();
  return client;
};

describe("the database of the records", () => {
  it("is created closed to others, once, also by processes that start at the same time", async () => {
    const admin = await connect("postgres", "postgres");
    await admin.query("grant connect on database postgres to renter");
    const address = addressOf("service");
    await Promise.all(Array.from({ length: 8 }, () => createRecordsDatabase(address)));
    await createRecordsDatabase(address);
    const records = await openRecords(address, { keys });
    await records.close();
    await admin.query(`create role stranger login password '${adminPassword}'`);
    await expect(connect("service", "stranger")).rejects.toThrow("permission denied");
    // A database of somebody who has not closed it.
    await admin.query("create database open");
    await connect("open", "stranger");
    await admin.query("revoke connect on database postgres from renter");
  });

  it("is closed when the process that created it ended before", async () => {
    const admin = await connect("postgres", "postgres");
    await admin.query("grant connect on database postgres to renter");
    await admin.query("create database begun owner renter allow_connections false");
    await createRecordsDatabase(addressOf("begun"));
    const { rows } = await admin.query(
      "select datallowconn as open, has_database_privilege('public', oid, 'connect') as public from pg_database where datname = 'begun'",
    );
    expect(rows).toEqual([{ open: true, public: false }]);
    await admin.query("revoke connect on database postgres from renter");
  });

  it.each(["connect", "create", "temporary"])(
    "is refused with what to do if everybody has the privilege: %s",
    async (privilege) => {
      const admin = await connect("postgres", "postgres");
      await admin.query(`grant ${privilege} on database records to public`);
      await expect(openRecords(addressOf("records"), { keys })).rejects.toMatchObject({
        code: "cluster:records_open",
        hint: expect.stringContaining('REVOKE ALL ON DATABASE "records" FROM PUBLIC') as string,
      });
      const { rows } = await (
        await connect("records", "postgres")
      ).query("select from pg_namespace where nspname = 'mgmt'");
      expect(rows).toEqual([]);
      // The control: it is not refused without the privilege.
      await admin.query("revoke all on database records from public");
      await (await openRecords(addressOf("records"), { keys, schema: `closed_to_${privilege}` })).close();
    },
  );

  it("is closed to others if the cluster has no others", async () => {
    const admin = await connect("postgres", "postgres");
    await admin.query("grant connect on database records to public");
    const records = await openRecords(addressOf("records"), { keys, schema: "own", isOwnCluster: true });
    await records.close();
    const { rows } = await admin.query(
      "select has_database_privilege('public', 'records', 'connect') as open",
    );
    expect(rows).toEqual([{ open: false }]);
  });

  it("lets no tenant connect", async () => {
    const { credential } = await cluster.makeTenant();
    const { host, port } = addressOf("records");
    const address = `postgres://${credential.user}:${credential.pass}@${host}:${String(port)}/records`;
    await expect(cluster.connectTo(address)).rejects.toThrow("permission denied");
  });
});
