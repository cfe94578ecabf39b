import { describe, expect, it } from "vitest";
import { shop, useProvisioning } from "../../../test/provisioning.js";
import { inProcess } from "../../../test/in-process.js";
import { startSession } from "../../../test/terminal.js";
import { seedUnnamedShop } from "../../../test/manifest/unnamed-shop.js";

const here = useProvisioning();
const { mgmt, write } = here;

describe("mgmt export", () => {
  it("prints a manifest that needs no changes, and creates the same elsewhere", async () => {
    write(shop);
    await mgmt`apply`;
    const exported = await mgmt`export`;
    expect(exported).toMatchObject({ status: 0, stderr: "" });
    expect(exported.stdout).toMatch(/^# yaml-language-server: \$schema=.*mgmt\.schema\.json\nversion: 1\n/);
    write(exported.stdout);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");

    const elsewhere = await startSession();
    const there = inProcess({ env: elsewhere.env, cwd: here.folder });
    expect((await there`apply`).status).toBe(0);
    expect((await there`export`).stdout).toBe(exported.stdout);
    await elsewhere.close();
  });

  it("describes one project by its id or logical id, and says what is left out", async () => {
    const { seed } = here.session.server.engine;
    const named = await seed.project({
      logicalId: "named",
      name: `"quoted": 🙂\u001b[2J`,
      createDatabase: false,
    });
    const unassigned = (await mgmt`services create web --project-id ${named.id} --unset branch-id -o json`)
      .json as { id: string };
    const byId = await mgmt`export ${named.id} -o json`;
    expect(byId.json).toEqual((await mgmt`export named -o json`).json);
    expect(byId.json).toEqual({
      version: 1,
      projects: { named: { name: `"quoted": 🙂\u001b[2J`, branches: { main: { isDefault: true } } } },
    });
    expect(byId.stderr).toContain(`on no branch: service ${unassigned.id}`);
    expect((await mgmt`export`).stdout).not.toContain("\u001b");
    expect(await mgmt`export nothing`).toMatchObject({ status: 6, stdout: "" });
  });

  it("takes the id or the name of one project, and refuses a name of several", async () => {
    const { project } = await seedUnnamedShop(here);
    const byId = await mgmt`export ${project}`;
    expect(byId.stdout).toContain(`adopt: ${project}`);
    expect((await mgmt`export ${"The shop"}`).stdout).toBe(byId.stdout);
    const other = await seedUnnamedShop(here);
    const several = await mgmt`export ${"The shop"}`;
    expect(several).toMatchObject({ status: 7, stdout: "" });
    expect(several.stderr).toContain(`${project}, ${other.project}`);
    expect((await mgmt`export nothing`).status).toBe(6);
  });
});
