import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startCannedServer } from "../../test/canned-server.js";
import { inProcess, runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();

/** An escape sequence for a color. */
const color = /\u001b\[/;

describe("a result", () => {
  it("is a JSON array for a list, and [] for an empty list", async () => {
    const { as, server } = session;
    const other = as(await server.engine.tokens.otherUser());
    const empty = await other`projects list --output json`;
    expect(empty).toMatchObject({ status: 0, stdout: "[]\n", stderr: "" });
    expect((await other`projects list --all --output json`).stdout).toBe("[]\n");
    expect((await other`projects list --output yaml`).stdout).toBe("[]\n");
    const table = await other`projects list`;
    expect(table).toMatchObject({ status: 0, stdout: "", stderr: "Nothing found.\n" });
  });

  it("is the resource without its envelope", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project({ name: "bare" });
    expect((await mgmt`projects get ${id} --output json`).json).toMatchObject({
      id,
      type: "project",
      name: "bare",
    });
    expect(parse((await mgmt`projects get ${id} -o yaml`).stdout)).toMatchObject({ id, name: "bare" });
    expect((await mgmt`me -o json`).json).toHaveProperty("credential.type", "management_token");
  });

  it("is empty if the response is empty", async () => {
    const { mgmt, server, as, env } = session;
    const { id } = await server.engine.seed.project();
    const recipient = await server.engine.tokens.otherUser();
    const transfer = as(env["MGMT_TOKEN"] ?? "", { stdin: recipient });
    const silent = await transfer`projects transfer ${id} --recipient-access-token-file - --yes -o json`;
    expect(silent).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const other = await server.engine.seed.project();
    expect((await mgmt`projects delete ${other.id} --yes`).stdout).toBe("");
  });

  it("has one result for each resource that a command deletes", async () => {
    const { mgmt, server } = session;
    const [a, b, c] = await Promise.all([1, 2, 3].map(() => server.engine.seed.project()));
    const one = await mgmt`projects delete ${c?.id ?? ""} --yes --output json`;
    expect(one).toMatchObject({ status: 0, stderr: "" });
    expect(one.json).toEqual([{ id: c?.id, status: "deleted" }]);
    const many = await mgmt`projects delete ${a?.id ?? ""} ${b?.id ?? ""} proj_nope --yes -o json`;
    expect(many.status).toBe(10);
    expect(many.json).toEqual([
      { id: a?.id, status: "deleted" },
      { id: b?.id, status: "deleted" },
      { id: "proj_nope", status: "failed", error: expect.objectContaining({ code: "project:not_found" }) },
    ]);
  });

  it("is printed for each deleted resource as it comes with --output ndjson, and as rows with csv", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project();
    const lines = (await mgmt`projects delete ${id} proj_nope --yes -o ndjson`).stdout.trimEnd().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { id, status: "deleted" },
      { id: "proj_nope", status: "failed" },
    ]);
    const other = await server.engine.seed.project();
    const { stdout } = await mgmt`projects delete ${other.id} proj_nope --yes -o csv`;
    expect(stdout).toBe(`id,status\n${other.id},deleted\nproj_nope,failed\n`);
  });

  it("shows a resource with a line for each field, and the connection string of a new database", async () => {
    const { mgmt } = session;
    const { stdout } = await mgmt`projects create shop --region eu-central-1`;
    expect(stdout).toMatch(/^id +proj_[a-z0-9]{24}$/m);
    expect(stdout).toMatch(/^region +eu-central-1$/m);
    expect(stdout).toMatch(/^database status +provisioning$/m);
    expect(stdout).toMatch(/^connection string +postgres:\/\/\S+$/m);
  });

  it("has colors only on a terminal, and none with NO_COLOR or TERM=dumb", async () => {
    const { env, server } = session;
    await server.engine.seed.project();
    const on = async (more: NodeJS.ProcessEnv, terminal = true): Promise<string> =>
      (await inProcess({ env: { ...env, ...more }, terminal })`databases list`).stdout;
    expect(await on({})).toMatch(color);
    for (const plain of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) expect(await on(plain)).not.toMatch(color);
    expect(await on({}, false)).not.toMatch(color);
    expect(await on({ FORCE_COLOR: "1" }, false)).toMatch(color);
  });

  it("does not let a name move the cursor or hide a line", async () => {
    const name = "a\u001b[2J\u0007b\u202ec\nd";
    const { env, close } = await startCannedServer(() => ({ body: { data: [{ id: "proj_1", name }] } }));
    const table = await runInProcess(["projects", "list"], { env });
    expect(table.stdout).toContain("a\\u001b[2J\\u0007b\\u202ec d");
    const json = await runInProcess(["projects", "list", "-o", "json"], { env });
    expect(JSON.parse(json.stdout)).toEqual([{ id: "proj_1", name }]);
    close();
  });
});
