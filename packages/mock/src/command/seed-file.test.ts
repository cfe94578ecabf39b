import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryServer } from "@mgmt/engine";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { MockError } from "@mgmt/mock";
import { applySeeds, readSeedFile } from "./seed-file.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-seeds-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let server: MemoryServer;
beforeEach(() => {
  server = new MemoryServer({ deterministic: "seeds" });
});

const path = join(folder, "seeds.json");
/** Reads a file with this content, and creates its resources. */
const seed = async (content: unknown): Promise<void> => {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  const read = await readSeedFile(path);
  if ("entries" in read) await applySeeds(server, path, read.entries);
  else await server.load(read.snapshot);
};

describe("a seed file", () => {
  it("creates its resources, which earlier ones may be named in", async () => {
    await seed([
      { kind: "user", as: "ada", email: "ada@example.com" },
      { kind: "workspace", as: "shop", name: "first", ownerId: "@ada" },
      { kind: "workspace", as: "shop", name: "second", ownerId: "@ada" },
      { kind: "project", workspaceId: "@shop", name: "a@b" },
    ]);
    const workspace = server.rows.workspaces.list({}).find(({ name }) => name === "second");
    expect(server.rows.users.get(workspace?.memberIds[0] ?? "")?.email).toBe("ada@example.com");
    expect(server.rows.projects.list({})).toMatchObject([{ name: "a@b", workspaceId: workspace?.id }]);
  });

  it("may be a snapshot", async () => {
    await server.seed.project({ name: "shop" });
    const snapshot = server.snapshot();
    await server.reset();
    await seed(snapshot);
    expect(server.rows.projects.list({})).toMatchObject([{ name: "shop" }]);
  });

  it.each<[string, unknown, string]>([
    ["text", "hello", "it is not JSON"],
    ["an object", {}, "it is neither an array of resources nor a snapshot"],
    ["null", null, "it is neither an array of resources nor a snapshot"],
    ["a newer snapshot", { version: 9 }, "a newer server may have created it"],
    ["a number as an entry", [1], "entry 1 is not an object"],
    ["an array as an entry", [{ kind: "user" }, []], "entry 2 is not an object"],
    ["an entry without a kind", [{ name: "shop" }], 'entry 1 has no kind, such as "project"'],
    ["a name that is not a string", [{ kind: "user", as: 1 }], '"as" of entry 1 is not a string'],
    [
      "an unknown kind",
      [{ kind: "table" }],
      '"table" is not a kind of resource: use user, workspace, project',
    ],
    ["an unknown field", [{ kind: "project", nmae: "shop" }], "entry 1 (project) was refused: "],
    ["a misspelled field", [{ kind: "project", nmae: "shop" }], "/nmae "],
    [
      "a reference to a later entry",
      [
        { kind: "database", projectId: "@shop" },
        { kind: "project", as: "shop" },
      ],
      "entry 1 refers to @shop, which no earlier entry names",
    ],
  ])("is refused if it has %s", async (_name, content, problem) => {
    const error: unknown = await seed(content).catch((reason: unknown) => reason);
    if (!(error instanceof MockError)) throw error;
    expect(error).toMatchObject({ code: "mock:bad_seed", message: expect.stringContaining(problem) });
    expect(error.message).toMatch(`The seed file ${path} cannot be used: `);
  });

  it("is refused if it does not exist", async () => {
    await expect(readSeedFile(join(folder, "none.json"))).rejects.toMatchObject({
      code: "mock:bad_seed",
      message: expect.stringContaining("it cannot be read"),
    });
  });
});
