import { describe, expect, it } from "vitest";
import { shop, useProvisioning } from "../../test/provisioning.js";

const here = useProvisioning();
const { mgmt, write } = here;

describe("the steps of a plan", () => {
  it("create databases from backups", async () => {
    const { seed } = here.session.server.engine;
    const { database } = await seed.project();
    const backup = await seed.backup(database?.id ?? "");
    write(`version: 1
projects:
  copy:
    branches:
      main:
        databases:
          restored: { source: { type: backup, databaseId: ${database?.id ?? ""}, backupId: ${backup.id} } }
`);
    expect((await mgmt`apply`).status).toBe(0);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
    const { stdout } = await mgmt`export copy`;
    expect(stdout).toContain(backup.id);
  });

  it("are followed by a wait for the databases that they create, whose result is printed also if that is in vain", async () => {
    write(shop);
    const applied = await mgmt`apply --wait`;
    expect(applied).toMatchObject({ status: 0, stdout: "" });
    const { databases } = here.session.server.engine.rows;
    const created = [...databases.list({})];
    expect(created.map(({ status }) => status)).toEqual(["ready", "ready", "ready"]);
    for (const { id } of created) {
      expect(applied.stderr).toContain(`Waiting until database ${id} is ready.`);
    }
    write("version: 1\nprojects: { late: { branches: { main: { databases: { slow: } } } } }", "late.yaml");
    // Its status does not arrive in time.
    here.session.server.engine.faults.add({ operation: "databases.get", latency: 60_000 });
    const late = await mgmt`apply -f late.yaml --wait --timeout 1ms -o json`;
    expect(late).toMatchObject({ status: 8, json: [{ status: "done" }, { status: "done" }] });
    expect(late.errors.at(-1)).toMatchObject({ error: { code: "wait:timeout" } });
  });

  it("create nothing twice after a lost response", async () => {
    write(shop);
    here.session.server.engine.faults.add({ operation: "databases.create", drop: "after", times: 1 });
    expect((await mgmt`apply`).status).toBe(0);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
    expect([...here.session.server.engine.rows.databases.list({})]).toHaveLength(3);
  });
});
