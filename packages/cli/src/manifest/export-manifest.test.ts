import { describe, expect, it } from "vitest";
import type { ExistingEntry } from "./entry.js";
import { exportManifest } from "./export-manifest.js";
import { inProcess } from "../../test/in-process.js";
import { useProvisioning } from "../../test/provisioning.js";
import { startSession } from "../../test/terminal.js";
import { seedUnnamedShop } from "../../test/manifest/unnamed-shop.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

const projects = (): number => [...here.session.server.engine.rows.projects.list({})].length;
const logicalIdOf = (database: string): string | null | undefined =>
  here.session.server.engine.rows.databases.get(database)?.logicalId;

describe("mgmt export of resources without a logical id", () => {
  it("prints a manifest that adopts them by their ids, and that can be applied twice", async () => {
    const { project, database } = await seedUnnamedShop(here);
    const exported = await mgmt`export -o json`;
    expect(exported.status).toBe(0);
    expect(exported.errors).toMatchObject([{ notice: { code: "export:adopted", ids: [project, database] } }]);
    expect(exported.json).toEqual({
      version: 1,
      projects: {
        "The-shop": {
          adopt: project,
          name: "The shop",
          branches: {
            main: {
              isDefault: true,
              databases: {
                "Sales-reports": { adopt: database, name: "Sales reports", region: "us-east-1" },
              },
            },
          },
        },
      },
    });
    write((await mgmt`export`).stdout);
    const { stdout } = await mgmt`plan`;
    expect(stdout).toBe(
      `~ database The-shop/main/Sales-reports (${database})\n` +
        `    logicalId: null → "Sales-reports"\n\nPlan: 0 to create, 1 to change, 0 to delete.\n`,
    );
    const before = countRequests();
    expect((await mgmt`apply`).status).toBe(0);
    expect(writesSince(before)).toEqual(["databases.update"]);
    expect(logicalIdOf(database)).toBe("Sales-reports");
    expect((await mgmt`plan --prune`).stdout).toBe("No changes.\n");
    expect(await mgmt`apply`).toMatchObject({ status: 0 });
    expect(projects()).toBe(1);
  });

  it("gives each a key of its own, in the form of a logical id", async () => {
    const { seed } = here.session.server.engine;
    await seed.project({ logicalId: "shop", name: "first" });
    for (const name of ["shop", "shop", "🙂", "../__proto__"]) {
      await seed.project({ name, createDatabase: false });
    }
    const { json, stdout } = await mgmt`export -o json`;
    expect(Object.keys((json as { projects: object }).projects)).toEqual([
      "shop",
      "shop-2",
      "shop-3",
      "project",
      "proto",
    ]);
    write(stdout);
    expect((await mgmt`plan`).status).toBe(0);
    expect((await mgmt`plan`).stdout).not.toContain("+ ");
  });

  it("creates the same elsewhere, says so, and creates nothing twice there", async () => {
    await seedUnnamedShop(here);
    write((await mgmt`export`).stdout);
    const elsewhere = await startSession();
    const there = inProcess({ env: elsewhere.env, cwd: here.folder });
    const applied = await there`apply`;
    expect(applied.status).toBe(0);
    expect(applied.stderr).toMatch(/project The-shop is new: there is no project "proj_\w+" to adopt/);
    expect(applied.stderr).not.toContain("database The-shop/main/Sales-reports is new");
    expect((await there`plan`).stdout).toBe("No changes.\n");
    expect((await there`apply`).status).toBe(0);
    expect([...elsewhere.server.engine.rows.projects.list({})]).toHaveLength(1);
    await elsewhere.close();
  });
});

it("refers to the source of a database by its entry, unless that is its own", () => {
  const databaseOf = (key: string, id: string, sourceId: string): ExistingEntry => ({
    resource: "database",
    path: ["shop", "main", key],
    id,
    fields: { source: { type: "backup", databaseId: sourceId, backupId: "bkp_1" } },
  });
  const manifest = exportManifest({
    entries: [
      { resource: "project", path: ["shop"], id: "proj_1", fields: {} },
      { resource: "branch", path: ["shop", "main"], id: "br_1", fields: {} },
      databaseOf("restored", "db_1", "db_1"),
      databaseOf("copy", "db_2", "db_1"),
      databaseOf("foreign", "db_3", "db_9"),
    ],
    unnamed: [],
  });
  const reference = { project: "shop", branch: "main", database: "restored" };
  expect(manifest).toMatchObject({
    projects: {
      shop: {
        branches: {
          main: {
            databases: {
              restored: { source: { databaseId: "db_1" } },
              copy: { source: { databaseId: reference } },
              foreign: { source: { databaseId: "db_9" } },
            },
          },
        },
      },
    },
  });
});
