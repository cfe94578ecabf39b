import { describe, expect, it } from "vitest";
import type { ApiDatabase } from "../repair/reconcile.js";
import { Cluster } from "../../../platform/test/cluster.js";

const cluster = new Cluster();

const restart = async (recorded: readonly ApiDatabase[]) => {
  await cluster.stop();
  return cluster.start(recorded);
};

describe("reconcile", () => {
  it("never touches databases and roles that others made in the cluster", async () => {
    const foreign = ["accounts", "db_byhand", "spare.wheel", "making.db_byhand", "db_byhand.bkp_byhand"];
    const admin = await cluster.connectAsAdmin("postgres");
    await admin.query(
      "create role auditor; create role db_byhand; create role clerk login in role db_byhand",
    );
    for (const name of foreign) await admin.query(`create database "${name}" template template0`);
    await admin.query("alter database accounts owner to auditor");
    await admin.query("update pg_database set datconnlimit = -2 where datname = 'spare.wheel'");

    const { problems } = await restart([]);
    expect(problems).toEqual([]);
    const again = await cluster.connectAsAdmin("postgres");
    const { rows: databases } = await again.query(
      "select datname as name from pg_database where datname = any ($1)",
      [foreign],
    );
    expect(databases).toHaveLength(foreign.length);
    const { rows: roles } = await again.query(
      "select from pg_roles where rolname in ('auditor', 'db_byhand', 'clerk')",
    );
    expect(roles).toHaveLength(3);
    for (const name of foreign) await again.query(`drop database "${name}"`);
    await again.query("drop role auditor, clerk, db_byhand");
  });
});
