import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useProvisioning } from "../../test/provisioning.js";
import {
  manifestWithAdoptions,
  seedUnnamedShop,
  type UnnamedShop,
} from "../../test/manifest/unnamed-shop.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

const projects = (): number => [...here.session.server.engine.rows.projects.list({})].length;
const logicalIdOf = (database: string): string | null | undefined =>
  here.session.server.engine.rows.databases.get(database)?.logicalId;

describe("adopt in a manifest", () => {
  it("accepts names, also of a project that the same entry renames", async () => {
    const { project, database } = await seedUnnamedShop(here);
    write(manifestWithAdoptions("The shop", "Sales reports", "    name: Store\n"));
    expect((await mgmt`apply`).status).toBe(0);
    expect(here.session.server.engine.rows.projects.get(project)?.name).toBe("Store");
    expect(logicalIdOf(database)).toBe("reports");
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
    expect(projects()).toBe(1);
  });

  it("keeps what is in the project with --prune, and works with a saved plan and --target", async () => {
    const { project, database } = await seedUnnamedShop(here);
    write(manifestWithAdoptions(project, database));
    expect((await mgmt`plan --prune --out plan.json`).stdout).not.toContain("- ");
    expect((await mgmt`apply plan.json`).status).toBe(0);
    expect(logicalIdOf(database)).toBe("reports");
    expect((await mgmt`plan --target shop/main/reports`).stdout).toBe("No changes.\n");
    expect((await mgmt`apply plan.json`).status).toBe(7);
  });

  it("refuses a saved plan that gives a resource another logical id than its key", async () => {
    const { project, database } = await seedUnnamedShop(here);
    write(manifestWithAdoptions(project, database));
    await mgmt`plan --out plan.json`;
    const text = readFileSync(join(here.folder, "plan.json"), "utf8");
    write(text.replace('"to": "reports"', '"to": "other"'), "changed.json");
    write(text.replace('"isAdopted": true', '"isAdopted": false'), "named.json");
    for (const file of ["changed.json", "named.json"]) {
      const { status, stderr } = await mgmt`apply ${file}`;
      expect(status).not.toBe(0);
      expect(stderr).toContain("plan:");
    }
    expect(logicalIdOf(database)).toBeNull();
  });

  it("creates what is not there, after a notice", async () => {
    const { project } = await seedUnnamedShop(here);
    write(manifestWithAdoptions(project, "db_000000000000000000000000"));
    const { stdout, stderr } = await mgmt`plan`;
    expect(stdout).toContain("+ database shop/main/reports\n");
    expect(stderr).toContain(
      'database shop/main/reports is new: there is no database "db_000000000000000000000000" to adopt',
    );
  });

  it.each<[what: string, text: (existing: UnnamedShop) => Promise<string> | string, problem: string]>([
    [
      "a name of several projects",
      async () => manifestWithAdoptions((await seedUnnamedShop(here)) && "The shop", "Sales reports"),
      'several have the name "The shop": proj_',
    ],
    [
      "a project that has a logical id",
      async () => {
        const { id } = await here.session.server.engine.seed.project({ logicalId: "store" });
        return manifestWithAdoptions(id, "Sales reports");
      },
      "is project store, because it has a logical id",
    ],
    [
      "a project beside one that has the key of the entry",
      async ({ project }) => {
        await here.session.server.engine.seed.project({ logicalId: "shop" });
        return manifestWithAdoptions(project, "Sales reports");
      },
      "has the logical id shop already",
    ],
    [
      "one project for two entries",
      ({ project }) => `version: 1\nprojects: { a: { adopt: ${project} }, b: { adopt: ${project} } }`,
      "project a adopts proj_",
    ],
    [
      "a database of another branch",
      ({ project, database }) =>
        `version: 1\nprojects: { shop: { adopt: ${project}, branches: { other: { databases: { x: { adopt: ${database} } } } } } }`,
      "is not in shop/other",
    ],
    [
      "a branch",
      () => "version: 1\nprojects: { shop: { branches: { main: { adopt: br_1 } } } }",
      "adopt is not known here",
    ],
    ["an empty name", () => 'version: 1\nprojects: { shop: { adopt: "" } }', "must not be empty"],
  ])("refuses %s, and changes nothing", async (_, text, problem) => {
    write(await text(await seedUnnamedShop(here)));
    const before = countRequests();
    const { status, stdout, stderr } = await mgmt`apply`;
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("manifest:invalid");
    expect(stderr).toContain(problem);
    expect(writesSince(before)).toEqual([]);
  });
});
