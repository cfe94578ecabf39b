import { describe, expect, it } from "vitest";
import { useProvisioning } from "../../test/provisioning.js";
import {
  manifestWithAdoptions,
  seedUnnamedShop,
  type UnnamedShop,
} from "../../test/manifest/unnamed-shop.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

describe("a resource to adopt that is somewhere else", () => {
  it.each<[what: string, text: (existing: UnnamedShop) => Promise<string> | string, problem: string]>([
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
        return manifestWithAdoptions(project, "web");
      },
      "it is the service",
    ],
    [
      "a database of another project",
      async ({ project }) => {
        const { id } = await here.session.server.engine.seed.project({ name: "diner" });
        const other = await here.session.server.engine.seed.database(id, { name: "menu" });
        return manifestWithAdoptions(project, other.id);
      },
      "it is the database menu of the project diner",
    ],
    [
      "the full name of a database of another project",
      async ({ project }) => {
        const { id } = await here.session.server.engine.seed.project({ name: "diner" });
        await here.session.server.engine.seed.database(id, { name: "menu" });
        return manifestWithAdoptions(project, "diner/main/menu");
      },
      "it is the database menu of the project diner",
    ],
    [
      "a database of another project for a new project",
      ({ database }) =>
        `version: 1\nprojects: { new: { branches: { main: { databases: { x: { adopt: ${database} } } } } } }`,
      "it is the database Sales reports of the project The shop",
    ],
  ])("is refused with what it is, and nothing is changed: %s", async (_, text, problem) => {
    write(await text(await seedUnnamedShop(here)));
    const before = countRequests();
    const { status, stdout, stderr } = await mgmt`apply`;
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("manifest:invalid");
    expect(stderr).toContain(problem);
    expect(writesSince(before)).toEqual([]);
  });
});
