import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { blocksOf } from "../../../../test/docs/markdown.js";
import { applySeeds, readSeedFile } from "../../src/command/seed-file.js";

const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "mgmt-mock-reference-"));
const has = (program: string, flag: string): boolean => spawnSync(program, [flag]).status === 0;

const write = (language: string): string => {
  const block = blocksOf("docs/mock.md").find((each) => each.language === language);
  const path = join(folder, `block.${language}`);
  writeFileSync(path, block?.text ?? "");
  return path;
};

describe("the snippets of the mock reference for other languages", () => {
  let server: RunningServer;
  let env: Record<string, string | undefined>;
  beforeAll(async () => {
    server = await createServer();
    const { engine, baseUrl } = server;
    env = { ...process.env, MOCK_URL: baseUrl, MOCK_TOKEN: await engine.tokens.service() };
    await engine.seed.project({ name: "seeded" });
  });
  afterAll(async () => {
    await server.close(0);
    rmSync(folder, { recursive: true, force: true });
  });

  it.runIf(has("curl", "--version"))("create a project with curl", async () => {
    const { stdout } = await execute("bash", [write("bash")], { env });
    expect(JSON.parse(stdout)).toMatchObject({ data: { name: "shop" } });
  });

  it.runIf(has("python3", "--version"))("list projects with Python", async () => {
    const { stdout } = await execute("python3", [write("python")], { env });
    expect(stdout).toContain("'name': 'seeded'");
  });

  it.runIf(has("go", "version"))("list projects with Go", async () => {
    const { stdout } = await execute("go", ["run", write("go")], { env });
    expect(stdout).toContain('"name":"seeded"');
  });

  it("seed a project and its database", async () => {
    const path = write("json");
    const seeds = await readSeedFile(path);
    const names = "entries" in seeds ? seeds.entries.map(({ kind }) => kind) : [];
    expect(names).toEqual(["project", "database"]);
    if ("entries" in seeds) await applySeeds(server.engine, path, seeds.entries);
    expect(server.engine.store.databases.list({}).map(({ name }) => name)).toContain("reports");
  });
});
