import { describe, expect, it } from "vitest";
import { startCannedServer } from "../../../test/canned-server.js";
import { runInProcess } from "../../../test/in-process.js";
import { startSession, useSession } from "../../../test/terminal.js";

const session = useSession();

describe("a response of mgmt api", () => {
  it("is printed without its envelope in every other format, with a notice that there are more", async () => {
    const { mgmt, server, close } = await startSession();
    for (const name of ["a", "b"]) await server.engine.seed.project({ name });
    const { stdout, stderr } = await mgmt`api GET projects -F limit=1 -o csv --fields name`;
    expect(stdout).toBe("name\na\n");
    expect(stderr).toContain("--paginate lists everything");
    expect((await mgmt`api projects -o name`).stdout).toMatch(/^proj_\w+\nproj_\w+\n$/);
    expect((await mgmt`api projects --query ${"data[0].name"}`).stdout).toBe("a\n");
    expect((await mgmt`api projects --query ${"data[0].name"} -o json`).stdout).toBe('"a"\n');
    expect((await mgmt`api projects -o yaml`).stdout).toContain("hasMore: false");
    expect((await mgmt`api projects -o csv --query ${"pagination"}`).stdout).toMatch(
      /^(?=.*hasMore).*\n.*false/,
    );
    await close();
  });

  it("is printed with status and headers with --include, also if it is an error", async () => {
    const { mgmt } = session;
    const { stdout } = await mgmt`api me --include`;
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\n(.*\n)*x-request-id: req_.*\n(.*\n)*\n\{/);
    const missing = await mgmt`api projects/proj_000000000000000000000000 -i`;
    expect(missing.status).toBe(6);
    expect(missing.stdout).toMatch(/^HTTP\/1\.1 404 Not Found\n(.*\n)*\n\{\n {2}"error"/);
    expect(missing.stderr).toContain("(project:not_found)");
    const { json } = await mgmt`api me -i -o json`;
    expect(json).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json" },
      body: { data: {} },
    });
  });

  it.each([[], ["-o", "json"], ["-o", "yaml"], ["-o", "ndjson"]])(
    "has no secret in its headers: --include %j",
    async (...format) => {
      const headers = { "set-cookie": "session=CANARY-OF-A-SESSION", "x-note": "plain" };
      const { env, close } = await startCannedServer(() => ({ headers, body: { data: {} } }));
      const { status, stdout } = await runInProcess(["api", "me", "--include", ...format.flat()], { env });
      close();
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("plain") });
      expect(stdout).toContain("set-cookie");
      expect(stdout).not.toContain("CANARY");
    },
  );

  it("prints nothing without a body", async () => {
    const { id } = await session.server.engine.seed.project();
    expect(await session.mgmt`api DELETE ${`projects/${id}`}`).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "",
    });
  });
});
