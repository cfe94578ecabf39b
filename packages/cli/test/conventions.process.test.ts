import { beforeAll, describe, expect, it } from "vitest";
import manifest from "../package.json";
import { ensureBuilt } from "./bin.js";
import { inProcess, runInProcess } from "./in-process.js";
import { run, useSession } from "./terminal.js";

const session = useSession();
beforeAll(ensureBuilt);

const missingId = "proj_000000000000000000000000";

describe("mgmt", () => {
  it("prints an empty list as JSON", async () => {
    expect((await session.mgmt`projects list --output json`).stdout).toBe("[]\n");
  });

  it("prints help on standard output", async () => {
    for (const line of [
      ["--help"],
      ["projects", "--help"],
      ["projects", "list", "-h"],
      ["help", "projects"],
    ]) {
      expect(await runInProcess(line)).toMatchObject({
        status: 0,
        stderr: "",
        stdout: expect.stringMatching(/^Usage: mgmt /),
      });
    }
  });

  it("refuses a typo as an argument", async () => {
    const before = session.server.engine.requests.length;
    expect(await session.mgmt`projcts`).toMatchObject({ status: 2, stdout: "" });
    expect(session.server.engine.requests).toHaveLength(before);
  });

  it("adds nothing to the JSON of a resource", async () => {
    const { id } = await session.server.engine.seed.project();
    const { json } = await session.mgmt`projects get ${id} --output json`;
    const fields = ["createdAt", "defaultRegion", "id", "logicalId", "name", "type", "url", "workspace"];
    expect(Object.keys(json as object).sort()).toEqual(fields);
  });

  it("does not confirm its own questions without a terminal", async () => {
    const { id } = await session.server.engine.seed.project();
    expect(await session.mgmt`projects delete ${id}`).toMatchObject({ status: 3, stdout: "" });
    expect(session.server.engine.rows.projects.get(id)).toBeDefined();
  });

  it("does not ask in CI", async () => {
    const env = { ...session.env, CI: "1" };
    expect((await inProcess({ env, terminal: true })`projects delete ${missingId}`).status).toBe(3);
  });

  it("exits with a code other than 0 on failure", async () => {
    const lines = [
      session.mgmt`projects get ${missingId}`,
      session.mgmt`projects delete ${missingId} --yes`,
      session.mgmt`nothing at all`,
      runInProcess(["projects", "list"], {
        env: { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "t" },
      }),
    ];
    expect((await Promise.all(lines)).map(({ status }) => status)).toEqual([6, 6, 2, 9]);
  });

  it("prints the version of its package", async () => {
    expect((await run(["--version"])).stdout).toBe(`${manifest.version}\n`);
  });

  it("prints all fields as JSON without a list of fields", async () => {
    expect((await session.mgmt`me -o json`).json).toHaveProperty("workspace.id");
  });

  it("prints warnings on standard error, apart from the JSON", async () => {
    const { json, stderr } = await session.mgmt`apps list --output json`;
    expect(json).toEqual([]);
    expect(stderr).toContain("deprecated");
  });

  it("does not cut off ids in tables", async () => {
    const { id } = await session.server.engine.seed.project({ name: "n".repeat(200) });
    const { stdout } = await inProcess({
      env: { ...session.env, COLUMNS: "40" },
      terminal: true,
    })`projects list`;
    expect(stdout).toContain(id);
  });

  it("refuses secrets on the command line, where every process can read them", async () => {
    const lines = [
      session.mgmt`me --token abc`,
      session.mgmt`projects transfer p --recipient-access-token abc --yes`,
    ];
    for (const { status, stderr } of await Promise.all(lines)) {
      expect(status).toBe(2);
      expect(stderr).not.toContain("abc");
    }
  });
});
