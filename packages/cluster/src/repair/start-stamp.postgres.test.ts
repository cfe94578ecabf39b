import { Client } from "pg";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type OpenDatabases, openDatabases } from "../open-databases.js";
import { Installation, createInstallationKeys } from "../policy/installation.js";
import { createSharedCluster } from "../policy/shared-cluster.js";
import { buildStoreInstallationStatement } from "../rows/migrate.js";
import { buildSchemaStatements } from "../rows/new-schema.js";
import { recordsSchema } from "../rows/records-location.js";
import type { ApiDatabase } from "./reconcile.js";
import { Cluster, adminPassword } from "../../../platform/test/cluster.js";
import { installation, platformRole } from "../../../platform/test/installation.js";

const own = new Cluster();
const shared = new Cluster({}, { user: "renter" });

const connect = async (cluster: Cluster): Promise<Client> => {
  const { port } = cluster.options;
  const address = { host: "127.0.0.1", port, user: "postgres", password: adminPassword };
  const client = new Client({ ...address, database: cluster.policy.maintenanceDatabase });
  await client.connect();
  return client;
};

const run = async (cluster: Cluster, ...statements: string[]): Promise<object[]> => {
  const client = await connect(cluster);
  let rows: object[] = [];
  for (const statement of statements) ({ rows } = await client.query<object>(statement));
  await client.end();
  return rows;
};

/** Returns all databases and roles as the catalogs have them. */
const readCluster = (cluster: Cluster): Promise<object[]> =>
  run(
    cluster,
    `select (to_jsonb(d) - 'datfrozenxid' - 'datminmxid')::text as row from pg_database d
      union all select to_jsonb(r)::text || coalesce(shobj_description(r.oid, 'pg_authid'), '') from pg_authid r order by 1`,
  );

const setStarts = (cluster: Cluster, starts: string): Promise<object[]> =>
  run(cluster, `update ${recordsSchema}.installation set starts = ${starts}`);

beforeAll(async () => {
  // The records of the installation, which its login can change.
  await run(
    shared,
    ...buildSchemaStatements(recordsSchema),
    buildStoreInstallationStatement(recordsSchema, installation.keys),
    `grant all on schema ${recordsSchema} to renter; grant all on all tables in schema ${recordsSchema} to renter`,
  );
});

const start = (cluster: Cluster, recorded: readonly ApiDatabase[] = []): Promise<OpenDatabases> =>
  openDatabases(cluster.policy, recorded, { schema: recordsSchema, ...cluster.discardingAll });

const startAndStop = async (cluster: Cluster): Promise<void> => (await start(cluster)).close();

const clusters = [
  ["its own", own],
  ["a shared", shared],
] as const;

describe.each(clusters)("a start in %s cluster", (_case, cluster) => {
  beforeEach(() => cluster.closeDatabases());

  it("is counted in the records and in the cluster", async () => {
    await startAndStop(cluster);
    const [before] = await run(cluster, `select starts::int from ${recordsSchema}.installation`);
    await startAndStop(cluster);
    const [after] = await run(
      cluster,
      `select starts::int, shobj_description('"${platformRole}"'::regrole, 'pg_authid') as comment
        from ${recordsSchema}.installation`,
    );
    const starts = Number((before as { starts: number }).starts) + 1;
    expect(after).toEqual({
      starts,
      comment: `${installation.roleComment} records ${cluster.policy.maintenanceDatabase}.${recordsSchema} start ${String(starts)}`,
    });
  });

  it.each([
    ["were restored to an earlier start", "starts - 1", "are older than the databases"],
    ["have seen no start", "0", "are older than the databases"],
  ])(
    "is refused with what to do, and changes nothing, if the records %s",
    async (_records, starts, message) => {
      await startAndStop(cluster);
      await startAndStop(cluster);
      await setStarts(cluster, starts);
      const before = await readCluster(cluster);
      const error = await start(cluster).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: "cluster:records_outdated",
        message: expect.stringContaining(message) as string,
      });
      expect(await readCluster(cluster)).toEqual(before);
      // The hint says how to accept these records.
      const [, statement = ""] = /run: (COMMENT .*)$/.exec((error as { hint: string }).hint) ?? [];
      await run(cluster, statement);
      await startAndStop(cluster);
    },
  );

  it("is refused if the records are a copy in another place", async () => {
    await startAndStop(cluster);
    await run(
      cluster,
      `comment on role "${platformRole}" is '${installation.roleComment} records original.mgmt start 1'`,
    );
    await expect(start(cluster)).rejects.toMatchObject({
      code: "cluster:records_outdated",
      message: `The last start of this installation used the records in original.mgmt, not those in ${cluster.policy.maintenanceDatabase}.${recordsSchema}`,
    });
    await run(cluster, `comment on role "${platformRole}" is '${installation.roleComment}'`);
    await startAndStop(cluster);
  });

  it.each([" records mgmt.mgmt start 1 of 2", " v2 records"])(
    "is refused if the stamp of the last start has another format: %s",
    async (suffix) => {
      await startAndStop(cluster);
      const setComment = (comment: string) =>
        run(cluster, `comment on role "${platformRole}" is '${comment}'`);
      await setComment(installation.roleComment + suffix);
      const before = await readCluster(cluster);
      await expect(start(cluster)).rejects.toMatchObject({ code: "cluster:stamp_unknown" });
      expect(await readCluster(cluster)).toEqual(before);
      await setComment(installation.roleComment);
      await startAndStop(cluster);
    },
  );

  it("is refused if the records belong to another cluster", async () => {
    await run(cluster, `alter role "${platformRole}" rename to elsewhere`);
    await setStarts(cluster, "1");
    const before = await readCluster(cluster);
    await expect(start(cluster)).rejects.toMatchObject({ code: "cluster:records_outdated" });
    expect(await readCluster(cluster)).toEqual(before);
    await run(cluster, `alter role elsewhere rename to "${platformRole}"`);
  });
});

describe("new records of a login that has another installation", () => {
  it("are refused, and nothing is changed", async () => {
    await shared.closeDatabases();
    const { address, major } = shared.policy;
    const policy = createSharedCluster(
      { ...address, database: "records" },
      major,
      new Installation(createInstallationKeys()),
    );
    const before = await readCluster(shared);
    await expect(openDatabases(policy, [])).rejects.toMatchObject({
      code: "cluster:other_installation",
      message: expect.stringContaining(platformRole) as string,
    });
    expect(await readCluster(shared)).toEqual(before);
  });
});
