import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../package.json";
import { inProcess } from "./in-process.js";
import { run, type Session, startSession } from "./terminal.js";

let session: Session;
beforeAll(async () => {
  session = await startSession();
});
afterAll(() => session.close());

const nothing = "proj_000000000000000000000000";

describe("what other command lines get wrong", () => {
  it("netlify: prints nothing for an empty list under --json", async () => {
    expect((await session.mgmt`projects list --output json`).stdout).toBe("[]\n");
  });

  it("neonctl, vercel: print help on standard error", async () => {
    for (const line of [
      ["--help"],
      ["projects", "--help"],
      ["projects", "list", "-h"],
      ["help", "projects"],
    ]) {
      expect(await run(line)).toMatchObject({
        status: 0,
        stderr: "",
        stdout: expect.stringMatching(/^Usage: mgmt /),
      });
    }
  });

  it("vercel: takes a typo for something to work on", async () => {
    const before = session.server.engine.requests.length;
    expect(await session.mgmt`projcts`).toMatchObject({ status: 2, stdout: "" });
    expect(session.server.engine.requests).toHaveLength(before);
  });

  it("vercel: puts facts of its own into the JSON of the answer", async () => {
    const { id } = await session.server.engine.seed.project();
    const { json } = await session.mgmt`projects get ${id} --output json`;
    const fields = ["createdAt", "defaultRegion", "id", "logicalId", "name", "type", "url", "workspace"];
    expect(Object.keys(json as object).sort()).toEqual(fields);
  });

  it("wrangler: answers its own questions with yes without a terminal", async () => {
    const { id } = await session.server.engine.seed.project();
    expect(await session.mgmt`projects delete ${id}`).toMatchObject({ status: 3, stdout: "" });
    expect(session.server.engine.store.projects.get(id)).toBeDefined();
  });

  it("flyctl #933: asks in CI, and hangs", async () => {
    const env = { ...session.env, CI: "1" };
    expect((await inProcess({ env, terminal: true })`projects delete ${nothing}`).status).toBe(3);
  });

  it("flyctl #44: ends with 0 on failure", async () => {
    const lines = [
      session.mgmt`projects get ${nothing}`,
      session.mgmt`projects delete ${nothing} --yes`,
      session.mgmt`nothing at all`,
      run(["projects", "list"], { env: { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "t" } }),
    ];
    expect((await Promise.all(lines)).map(({ status }) => status)).toEqual([6, 6, 2, 9]);
  });

  it("create-db: prints a wrong version", async () => {
    expect((await run(["--version"])).stdout).toBe(`${manifest.version}\n`);
  });

  it("gh (cli/cli #9588): gives JSON only to those who list its fields", async () => {
    expect((await session.mgmt`me -o json`).json).toHaveProperty("workspace.id");
  });

  it("workers-sdk #14036: puts notices among the JSON", async () => {
    const { json, stderr } = await session.mgmt`apps list --output json`;
    expect(json).toEqual([]);
    expect(stderr).toContain("deprecated");
  });

  it("many: cut off ids in tables", async () => {
    const { id } = await session.server.engine.seed.project({ name: "n".repeat(200) });
    const { stdout } = await inProcess({
      env: { ...session.env, COLUMNS: "40" },
      terminal: true,
    })`projects list`;
    expect(stdout).toContain(id);
  });

  it("many: take secrets from the command line, where every process can read them", async () => {
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
