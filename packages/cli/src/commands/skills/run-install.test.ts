import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import manifest from "../../../package.json";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess, type Setup } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";

const root = temporaryFolder();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "skills-"));
});

const skills = (line: string, setup: Setup = {}): Promise<Result> =>
  runInProcess(["skills", ...line.split(" ").filter(Boolean)], { cwd: folder, ...setup });
const printSkill = async (): Promise<string> => (await skills("")).stdout;

describe("mgmt skills", () => {
  it("prints a skill with its version, as the specification has it", async () => {
    const text = await printSkill();
    const [, frontmatter = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
    const fields = parseYaml(frontmatter) as Record<string, string>;
    expect(Object.keys(fields)).toEqual(["name", "description", "license", "compatibility", "metadata"]);
    expect(fields["name"]).toBe("mgmt");
    expect(fields["description"]?.length).toBeLessThan(1_024);
    expect(fields["compatibility"]?.length).toBeLessThan(500);
    expect(fields["metadata"]).toEqual({ version: manifest.version });
    expect(body).toContain("# Use mgmt from a coding agent");
    expect(text.split("\n").length).toBeLessThan(200);
  });
});

describe("mgmt skills install", () => {
  it.each([
    ["", ".agents"],
    ["agents", ".agents"],
    ["codex", ".agents"],
    ["claude-code", ".claude"],
    ["cursor", ".cursor"],
  ])("copies the skill to where the client finds it: %s", async (client, clientFolder) => {
    const { status, stderr } = await skills(`install ${client}`);
    expect(status, stderr).toBe(0);
    const file = join(folder, clientFolder, "skills/mgmt/SKILL.md");
    expect(readFileSync(file, "utf8")).toBe(await printSkill());
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(readdirSync(folder)).toEqual([clientFolder]);
  });

  it("copies it into the folder of the user", async () => {
    const env = { CLAUDE_CONFIG_DIR: join(folder, "claude") };
    const { status, json } = await skills("install claude-code --scope user -o json", { env });
    const file = join(folder, "claude/skills/mgmt/SKILL.md");
    expect({ status, json }).toEqual({
      status: 0,
      json: { client: "claude-code", scope: "user", file, change: "added", version: manifest.version },
    });
    expect(readFileSync(file, "utf8")).toBe(await printSkill());
  });

  it("changes nothing the second time, and asks before it replaces another version", async () => {
    await skills("install");
    const file = join(folder, ".agents/skills/mgmt/SKILL.md");
    const { ino } = statSync(file);
    expect(await skills("install -o json")).toMatchObject({ status: 0, json: { change: "none" } });
    expect(statSync(file).ino).toBe(ino);
    writeFileSync(file, "mine\n");
    expect(await skills("install")).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("which is another version or was changed"),
    });
    expect(readFileSync(file, "utf8")).toBe("mine\n");
    expect(await skills("install --yes -o json")).toMatchObject({ status: 0, json: { change: "replaced" } });
    expect(readFileSync(file, "utf8")).toBe(await printSkill());
  });

  it.each([
    ["install emacs", 2, "Allowed: agents, claude-code, codex, cursor."],
    ["install --scope team", 2, "Allowed choices are project, user"],
    ["instal", 2, "does not accept the argument"],
  ])("refuses a wrong command line: mgmt skills %s", async (line, status, text) => {
    const result = await skills(line);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(text)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("does not follow a link out of the project", async () => {
    const outside = mkdtempSync(join(root, "outside-"));
    mkdirSync(join(folder, ".agents"));
    symlinkSync(outside, join(folder, ".agents/skills"));
    expect(await skills("install")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("client_file:linked"),
    });
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(join(folder, ".agents/skills/mgmt"))).toBe(false);
  });
});
