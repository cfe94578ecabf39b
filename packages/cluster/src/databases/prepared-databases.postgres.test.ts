import { expect, it, vi } from "vitest";
import { Cluster, newTenant } from "../../../platform/test/cluster.js";
import { installation } from "../../../platform/test/installation.js";

const cluster = new Cluster();

/** Ends the first session in a spare database that is not complete. */
const interrupt = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname like '${installation.unfinishedPreparedNamePrefix}%'`;

const create = async (): Promise<ReturnType<typeof newTenant>> => {
  const tenant = newTenant();
  await cluster.databases.create(tenant.id, { type: "empty" }, [tenant.credential]);
  return tenant;
};

it("drops a spare database whose creation was interrupted, and creates another for the next database", async () => {
  const admin = await cluster.connectAsAdmin("postgres");
  let isInterrupted = false;
  const refill = async (): Promise<void> => {
    // The interrupted one may be for this database.
    while (!isInterrupted) await create().catch(() => undefined);
  };
  const refilling = refill();
  while (!isInterrupted) isInterrupted = ((await admin.query(interrupt)).rowCount ?? 0) > 0;
  await refilling;
  await vi.waitFor(async () =>
    expect(await cluster.namesIn("datname", installation.unfinishedPreparedNamePrefix)).toEqual([]),
  );

  const { id, credential } = await vi.waitFor(create);
  expect((await (await cluster.connect(id, credential)).query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});
