import { afterEach, describe, expect, it } from "vitest";
import { runInProcess } from "./in-process.js";
import { useSession } from "./terminal.js";

const session = useSession({ settings: { errorCodes: "public" } });
afterEach(() => session.server.engine.faults.clear());

describe("a service with the error codes of Prisma's Management API", () => {
  it.each([
    ["projects get proj_none", 6, "resource-not-found"],
    ["projects list --cursor x", 7, "validation-error"],
  ])("has the same exit codes and hints: mgmt %s", async (line, exitCode, code) => {
    const { status, errors } = await runInProcess([...line.split(" "), "-o", "json"], session);
    expect(status).toBe(exitCode);
    expect(errors).toContainEqual({
      error: expect.objectContaining({ code, hint: expect.any(String), requestId: expect.any(String) }),
    });
  });

  it("points out an id with the wrong prefix", async () => {
    const { stderr } = await runInProcess(["projects", "get", "db_none"], session);
    expect(stderr).toContain("db_none does not look like the id of a project");
  });

  it("exits with 4 for a rejected token, and says what to do", async () => {
    const env = { ...session.env, MGMT_TOKEN: "expired" };
    const { status, errors } = await runInProcess(["projects", "list", "-o", "json"], { env });
    expect(status).toBe(4);
    expect(errors).toContainEqual({
      error: expect.objectContaining({ code: "authentication-failed", hint: expect.any(String) }),
    });
  });

  it("lets create --if-not-exists find the existing resource", async () => {
    const line = ["projects", "create", "shop", "--logical-id", "shop", "--if-not-exists", "-o", "json"];
    const first = await runInProcess(line, session);
    const second = await runInProcess(line, session);
    expect([first.status, second.status]).toEqual([0, 0]);
    expect((second.json as { id: string }).id).toBe((first.json as { id: string }).id);
  });
});
