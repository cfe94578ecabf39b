import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inProcess } from "../../test/in-process.js";
import { useProvisioning } from "../../test/provisioning.js";
import { startSession } from "../../test/terminal.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

interface Existing {
  readonly project: string;
  readonly database: string;
}

/** Creates a project with a database, neither of which has a logical id. */
const seedShop = async (name = "The shop"): Promise<Existing> => {
  const { seed } = here.session.server.engine;
  const { id: project } = await seed.project({ name, createDatabase: false });
  const { id: database } = await seed.database(project, { name: "Sales reports" });
  return { project, database };
};
const projects = (): number => [...here.session.server.engine.rows.projects.list({})].length;
const logicalIdOf = (database: string): string | null | undefined =>
  here.session.server.engine.rows.databases.get(database)?.logicalId;

const manifestOf = (project: string, database: string, fields = ""): string => `version: 1
projects:
  shop:
    adopt: ${JSON.stringify(project)}
${fields}    branches:
      main:
        databases:
          reports: { adopt: ${JSON.stringify(database)} }
`;

describe("mgmt export of resources without a logical id", () => {
  it("prints a manifest that adopts them by their ids, and that can be applied twice", async () => {
    const { project, database } = await seedShop();
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

  it("takes the id or the name of one project, and refuses a name of several", async () => {
    const { project } = await seedShop();
    const byId = await mgmt`export ${project}`;
    expect(byId.stdout).toContain(`adopt: ${project}`);
    expect((await mgmt`export ${"The shop"}`).stdout).toBe(byId.stdout);
    const other = await seedShop();
    const several = await mgmt`export ${"The shop"}`;
    expect(several).toMatchObject({ status: 7, stdout: "" });
    expect(several.stderr).toContain(`${project}, ${other.project}`);
    expect((await mgmt`export nothing`).status).toBe(6);
  });

  it("creates the same elsewhere, says so, and creates nothing twice there", async () => {
    await seedShop();
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

describe("adopt in a manifest", () => {
  it("accepts names, also of a project that the same entry renames", async () => {
    const { project, database } = await seedShop();
    write(manifestOf("The shop", "Sales reports", "    name: Store\n"));
    expect((await mgmt`apply`).status).toBe(0);
    expect(here.session.server.engine.rows.projects.get(project)?.name).toBe("Store");
    expect(logicalIdOf(database)).toBe("reports");
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
    expect(projects()).toBe(1);
  });

  it("keeps what is in the project with --prune, and works with a saved plan and --target", async () => {
    const { project, database } = await seedShop();
    write(manifestOf(project, database));
    expect((await mgmt`plan --prune --out plan.json`).stdout).not.toContain("- ");
    expect((await mgmt`apply plan.json`).status).toBe(0);
    expect(logicalIdOf(database)).toBe("reports");
    expect((await mgmt`plan --target shop/main/reports`).stdout).toBe("No changes.\n");
    expect((await mgmt`apply plan.json`).status).toBe(7);
  });

  it("refuses a saved plan that gives a resource another logical id than its key", async () => {
    const { project, database } = await seedShop();
    write(manifestOf(project, database));
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
    const { project } = await seedShop();
    write(manifestOf(project, "db_000000000000000000000000"));
    const { stdout, stderr } = await mgmt`plan`;
    expect(stdout).toContain("+ database shop/main/reports\n");
    expect(stderr).toContain(
      'database shop/main/reports is new: there is no database "db_000000000000000000000000" to adopt',
    );
  });

  it.each<[what: string, text: (existing: Existing) => Promise<string> | string, problem: string]>([
    [
      "a name of several projects",
      async () => manifestOf((await seedShop()) && "The shop", "Sales reports"),
      'several have the name "The shop": proj_',
    ],
    [
      "a project that has a logical id",
      async () => {
        const { id } = await here.session.server.engine.seed.project({ logicalId: "store" });
        return manifestOf(id, "Sales reports");
      },
      "is project store, because it has a logical id",
    ],
    [
      "a project beside one that has the key of the entry",
      async ({ project }) => {
        await here.session.server.engine.seed.project({ logicalId: "shop" });
        return manifestOf(project, "Sales reports");
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
    [
      "the id of another kind",
      ({ database }) => `version: 1\nprojects:\n  a:\n    adopt: ${database}`,
      "it is the database Sales reports of the project The shop",
    ],
    [
      "the id of another kind that does not exist",
      () => "version: 1\nprojects:\n  a:\n    adopt: db_000000000000000000000000",
      'mgmt.yaml:4:12: project a cannot adopt "db_000000000000000000000000": it is the id of a database, not of a project',
    ],
    [
      "the name of another kind in the same place",
      async ({ project }) => {
        await here.session.server.engine.seed.app(project, { displayName: "web" });
        return manifestOf(project, "web");
      },
      "it is the service",
    ],
    [
      "a database of another project",
      async ({ project }) => {
        const { id } = await here.session.server.engine.seed.project({ name: "diner" });
        const other = await here.session.server.engine.seed.database(id, { name: "menu" });
        return manifestOf(project, other.id);
      },
      "it is the database menu of the project diner",
    ],
    [
      "the full name of a database of another project",
      async ({ project }) => {
        const { id } = await here.session.server.engine.seed.project({ name: "diner" });
        await here.session.server.engine.seed.database(id, { name: "menu" });
        return manifestOf(project, "diner/main/menu");
      },
      "it is the database menu of the project diner",
    ],
    [
      "a database of another project for a new project",
      ({ database }) =>
        `version: 1\nprojects: { new: { branches: { main: { databases: { x: { adopt: ${database} } } } } } }`,
      "it is the database Sales reports of the project The shop",
    ],
    ["an empty name", () => 'version: 1\nprojects: { shop: { adopt: "" } }', "must not be empty"],
  ])("refuses %s, and changes nothing", async (_, text, problem) => {
    write(await text(await seedShop()));
    const before = countRequests();
    const { status, stdout, stderr } = await mgmt`apply`;
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("manifest:invalid");
    expect(stderr).toContain(problem);
    expect(writesSince(before)).toEqual([]);
  });
});
