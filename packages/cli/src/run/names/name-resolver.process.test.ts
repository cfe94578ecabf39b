import { describe, expect, it } from "vitest";
import { startRepository } from "../../../test/repository.js";
import { openWorkplace } from "../../../test/workplace.js";

describe("names in hand-written commands", () => {
  it("are accepted wherever ids are", async () => {
    const place = await openWorkplace();
    startRepository(place);
    const databaseId = (
      await place.run(["databases", "list", "--query", "[?name=='reports'].id"])
    ).stdout.trim();
    for (const name of ["reports", "shop/reports", "shop/main/reports"]) {
      const written = await place.run(["env", name, "--file", ".env.named", "-o", "json"]);
      expect(written).toMatchObject({ status: 0, json: { databaseId } });
    }
    expect((await place.run(["psql", "shop/reports"])).status).toBe(0);
    expect((await place.run(["run", "--database-id", "shop/reports", "--", "npm", "test"])).status).toBe(0);
    const preview = ["preview", "up", "--project-id", "shop", "--branch", "named", "-o", "json"];
    expect((await place.run(preview)).json).toMatchObject({ branch: "named", created: true });
    for (const line of [
      ["env", "shop/nothing"],
      ["psql", "shop/nothing"],
    ]) {
      const { status, stderr } = await place.run(line);
      expect(status).toBe(6);
      expect(stderr).toContain("name:not_found");
    }
    await place.close();
  });
});

describe("--project-id of a hand-written command", () => {
  it("replaces the default project, by id or name", async () => {
    const place = await openWorkplace();
    startRepository(place);
    const { id, database } = await place.server.engine.seed.project({ name: "kiosk" });
    const databaseId = database?.id;
    const own = await place.run(["env", "--project-id", "kiosk", "--file", ".env.kiosk", "-o", "json"]);
    expect(own).toMatchObject({ status: 0, json: { databaseId } });
    for (const line of [
      ["env", "--file", ".env.own"],
      ["connection-string", "--show-secrets"],
      ["psql"],
      ["open", "--no-browser"],
    ]) {
      const { status, stderr } = await place.run([...line, "--project-id", id]);
      expect({ line, status, stderr }).toEqual({ line, status: 0, stderr });
    }
    expect((await place.run(["run", "--project-id", "kiosk", "--", "npm", "test"])).status).toBe(0);
    expect(await place.run(["env", "--project-id", "kisok"])).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("Did you mean kiosk?"),
    });
    expect((await place.run(["env", "--project-id", ".."])).status).toBe(2);
    await place.close();
  });
});
