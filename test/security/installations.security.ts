import { Client } from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type OpenDatabases, openDatabases } from "@mgmt/cluster/open-databases";
import { AdminConnection } from "@mgmt/cluster/connection/admin-connection";
import type { DatabaseAddress } from "@mgmt/cluster/policy/address";
import { createRecordsDatabase } from "@mgmt/cluster/rows/records-database";
import { ForeignNameError } from "@mgmt/cluster/databases/catalog";
import type { Cluster as Policy } from "@mgmt/cluster/policy/cluster";
import type { Installation } from "@mgmt/cluster/policy/installation";
import { createRoleStatements, joinRoleStatements } from "@mgmt/cluster/policy/role-statements";
import { createSharedCluster } from "@mgmt/cluster/policy/shared-cluster";
import type { ApiDatabase } from "@mgmt/cluster/repair/reconcile";
import { Cluster, adminPassword, newTenant, ownClusterAt } from "../../packages/platform/test/cluster.js";
import { otherInstallation } from "../../packages/platform/test/installation.js";

const shared = new Cluster({}, { user: "renter" });
const own = new Cluster();

/** Runs a statement as the superuser. */
const run = async <Row extends object>(
  cluster: Cluster,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => {
  const { port } = cluster.options;
  const address = { host: "127.0.0.1", port, user: "postgres", password: adminPassword };
  const client = new Client({ ...address, database: "postgres" });
  await client.connect();
  const { rows } = await client.query<Row>(text, [...values]);
  await client.end();
  return rows;
};

beforeAll(async () => {
  await run(shared, `create role lodger login createdb createrole password '${adminPassword}'`);
  await run(shared, "grant pg_signal_backend to lodger");
  await run(shared, "grant connect on database postgres to lodger");
  await createRecordsDatabase(lodgerAddress());
  const superuser = new AdminConnection(policiesOf(own).second);
  await superuser.runScript(
    joinRoleStatements(
      createRoleStatements(superuser.cluster.installation, otherInstallation.platformRole, "nologin"),
    ),
  );
  await superuser.close();
});

/** Returns how the second installation reaches its records on the shared cluster. */
const lodgerAddress = (): DatabaseAddress => {
  const { port } = shared.options;
  return { host: "127.0.0.1", port, user: "lodger", password: adminPassword, database: "records_of_lodger" };
};

/** Returns how each of two installations manages a cluster: with a login of its own, or both as the superuser. */
const policiesOf = (cluster: Cluster): { first: Policy; second: Policy } => {
  const { port, binaries } = cluster.options;
  const { major } = binaries;
  return {
    first: cluster.policy,
    second:
      cluster === own
        ? ownClusterAt(port, { major, installation: otherInstallation })
        : createSharedCluster(lodgerAddress(), major, otherInstallation),
  };
};

/** One of the installations, with what its records contain. */
class Service {
  readonly recorded: ApiDatabase[] = [];
  #databases: OpenDatabases | undefined;

  constructor(readonly policy: Policy) {
    onTestFinished(() => this.stop());
  }

  get databases(): OpenDatabases {
    if (this.#databases === undefined) throw new Error("The service is not running");
    return this.#databases;
  }

  get isRunning(): boolean {
    return this.#databases !== undefined;
  }

  async start(): Promise<void> {
    this.#databases = await openDatabases(this.policy, this.recorded);
    expect(this.#databases.problems.join()).not.toMatch(/could not|not in the records/);
    expect(this.#databases.missingData).toEqual({ databaseIds: [], backupIds: [] });
  }

  async stop(): Promise<void> {
    await this.#databases?.close();
    this.#databases = undefined;
  }

  async addDatabase(): Promise<void> {
    const { id, credential } = newTenant();
    await this.databases.engine.create(id, { type: "empty" }, [credential]);
    await this.databases.engine.backup(id, `bkp_${id}`);
    this.recorded.push({ databaseId: id, credentials: [credential], backupIds: [`bkp_${id}`] });
  }

  async removeDatabase(): Promise<void> {
    await this.databases.engine.drop(this.recorded.shift()?.databaseId ?? "");
  }
}

/** Returns the databases and roles of an installation, byte for byte as the catalogs have them, by name. */
const belongingsOf = async (
  cluster: Cluster,
  { platformDatabaseCondition, platformRoleCondition }: Installation,
): Promise<Map<string, string>> => {
  // Not what a vacuum changes.
  const rows = await run<{ name: string; row: string }>(
    cluster,
    `select 'database ' || datname as name, (to_jsonb(d) - 'datfrozenxid' - 'datminmxid')::text as row
      from pg_database d where ${platformDatabaseCondition}
      union all select 'role ' || rolname, to_jsonb(r)::text || shobj_description(r.oid, 'pg_authid') from pg_authid r
      where ${platformRoleCondition}`,
  );
  return new Map(rows.map(({ name, row }) => [name, row]));
};

const clusters = [
  ["with a login of each", shared],
  ["with the superuser as the login of both", own],
] as const;

describe.each(clusters)("two installations on one cluster, %s", (_case, cluster) => {
  it("touch nothing of each other, in every order of start and stop", async () => {
    await cluster.closeDatabases();
    const { first, second } = policiesOf(cluster);
    const [a, b] = [new Service(first), new Service(second)];
    for (const service of [a, b]) {
      await service.start();
      await service.addDatabase();
      await service.stop();
    }
    // Every change of which of the two are running.
    const steps = [a, b, a, b, b, a, b, a];
    for (const service of steps) {
      const other = service === a ? b : a;
      const before = await belongingsOf(cluster, other.policy.installation);
      expect(before.size).toBeGreaterThanOrEqual(5);
      if (service.isRunning) {
        await service.addDatabase();
        await service.removeDatabase();
        await service.stop();
      } else await service.start();
      const after = await belongingsOf(cluster, other.policy.installation);
      // If the other one is running, it completes its prepared databases meanwhile.
      const unfinished = `database ${other.policy.installation.unfinishedPreparedNamePrefix}`;
      for (const [name, row] of before)
        if (!name.startsWith(unfinished)) expect([name, after.get(name)]).toEqual([name, row]);
    }
    // The control: without a mark of its own, an installation drops what is not in its records.
    for (const { policy, recorded } of [a, b]) {
      const before = await belongingsOf(cluster, policy.installation);
      const findDiscardedIds = () => Promise.resolve(recorded.map(({ databaseId }) => databaseId));
      await (await openDatabases(policy, [], { findDiscardedIds })).close();
      const after = await belongingsOf(cluster, policy.installation);
      for (const { databaseId } of recorded)
        for (const name of [`database ${databaseId}`, `role ${databaseId}`])
          expect([before.has(name), after.has(name)]).toEqual([true, false]);
    }
  });
});

describe.each(clusters)("a name that belongs to others, %s", (_case, cluster) => {
  it("is refused for a database, and nothing is changed", async () => {
    const { id, credential } = newTenant();
    const service = new Service(policiesOf(cluster).second);
    await service.start();
    await run(cluster, `create database ${id} template template0`);
    const find =
      "select to_jsonb(d) - 'datfrozenxid' - 'datminmxid' as row from pg_database d where datname = $1";
    const before = await run(cluster, find, [id]);
    const { engine } = service.databases;
    await expect(engine.create(id, { type: "empty" }, [credential])).rejects.toThrow(ForeignNameError);
    await engine.drop(id);
    await service.stop();
    const recorded = [{ databaseId: id, credentials: [credential], backupIds: [] }];
    const reopened = await openDatabases(service.policy, recorded);
    await reopened.close();
    expect(reopened).toMatchObject({ brokenIds: [id], missingData: { databaseIds: [] } });
    expect(reopened.problems.join()).toContain(new ForeignNameError(id).message);
    expect(await run(cluster, find, [id])).toEqual(before);
    await run(cluster, `drop database ${id}`);
  });

  it("is refused for the owner of a database, and for a backup", async () => {
    const [taken, tenant] = [newTenant(), newTenant()];
    const service = new Service(policiesOf(cluster).second);
    await service.start();
    const { engine } = service.databases;
    await run(cluster, `create role ${taken.id}`);
    await expect(engine.create(taken.id, { type: "empty" }, [taken.credential])).rejects.toThrow(
      ForeignNameError,
    );
    await engine.create(tenant.id, { type: "empty" }, [tenant.credential]);
    await run(cluster, `create database "${tenant.id}.bkp_taken" template template0`);
    await expect(engine.backup(tenant.id, "bkp_taken")).rejects.toThrow(ForeignNameError);
    expect(await engine.hasBackup("bkp_taken")).toBe(false);
    await engine.dropBackup("bkp_taken");
    await engine.drop(tenant.id);
    await run(cluster, `drop database "${tenant.id}.bkp_taken"`);
    await run(cluster, `drop role ${taken.id}`);
  });
});
