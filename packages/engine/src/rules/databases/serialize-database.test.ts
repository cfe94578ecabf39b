import { beforeEach, describe, expect, it } from "vitest";
import { Api } from "../../../test/rules/api.js";

let api: Api;
beforeEach(async () => {
  api = await Api.open();
});

describe("a database in a response", () => {
  it("has its secrets when it is created, and never again", async () => {
    const { project } = await api.project({ name: "shop" });
    const body = { name: "reports", region: "eu-central-1" };
    const { data } = await api.ok("projects.databases.create", { path: { projectId: project.id }, body });
    const pass = (await api.store()).connections.list({ databaseId: data.id })[0]?.pass ?? "";
    expect(pass).not.toBe("");
    const [connection] = data.connections;
    expect([data.connectionString, data.directConnection?.pass]).toEqual([
      expect.stringContaining(pass),
      pass,
    ]);
    expect(data).toMatchObject({
      ...{
        name: "reports",
        status: "provisioning",
        isDefault: false,
        source: { type: "empty" },
      },
      ...{ region: { id: "eu-central-1" }, project: { id: project.id }, defaultConnectionId: connection?.id },
    });
    expect(data.apiKeys).toHaveLength(1);
    const later = await api.send("databases.get", { path: { databaseId: data.id } });
    expect(JSON.stringify(later.body)).toContain(connection?.id);
    for (const name of ["connectionString", "apiKeys"])
      expect(JSON.stringify(later.body)).not.toContain(`"${name}"`);
  });

  it("is shown as failed while a deletion that cannot be undone is pending", async () => {
    const { databaseId } = await api.databaseWithConnection();
    const { begun, release } = api.databases.hold("drop");
    const deletion = api.send("databases.delete", { path: { databaseId } });
    await begun;
    expect(await api.status(databaseId)).toBe("failure");
    release();
    expect((await deletion).status).toBe(204);
  });
});
