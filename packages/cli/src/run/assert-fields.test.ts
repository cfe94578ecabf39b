import { describe, expect, it } from "vitest";
import { useSession } from "../../test/terminal.js";

const session = useSession();

describe("--fields", () => {
  it("refuses a field that the result does not have, before a request is sent, and suggests similar ones", async () => {
    const before = session.server.engine.requests.length;
    const { status, stderr } = await session.mgmt`databases list --fields id,nmae`;
    expect(status).toBe(2);
    expect(stderr).toContain("Did you mean name?");
    expect((await session.mgmt`databases list --fields region.nam`).stderr).toContain(
      "Did you mean region.name?",
    );
    expect(session.server.engine.requests).toHaveLength(before);
  });

  it("accepts nested fields and those of lists and maps", async () => {
    const { mgmt } = session;
    expect((await mgmt`databases list --fields id,region.id,connections.0.name`).status).toBe(0);
    expect((await mgmt`deployments get dpl_x --fields envVars.PORT`).status).toBe(6);
  });
});
