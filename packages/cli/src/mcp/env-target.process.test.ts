import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { openEnvTarget } from "./env-target.js";

const root = temporaryFolder();
const secret = "postgresql://user:secret-of-the-test@localhost/postgres";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "app-"));
});

const context = {
  env: { PATH: process.env["PATH"], XDG_STATE_HOME: root },
  signal: new AbortController().signal,
};
const git = (...words: string[]): unknown => execFileSync("git", words, { cwd: folder });

describe("an env file that gets a secret", () => {
  it("is refused if git tracks it, also if .gitignore names it", async () => {
    git("init", "-q");
    writeFileSync(join(folder, ".env"), "A=1\n");
    git("add", ".env");
    writeFileSync(join(folder, ".gitignore"), ".env\n");
    await expect(openEnvTarget({}, folder, context)).rejects.toMatchObject({ code: "mcp:env_file_tracked" });
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe("A=1\n");
  });

  it.each([
    ["does not ignore it", "", { warning: expect.stringContaining(".gitignore") }],
    ["ignores it", ".env\n", { writtenTo: ".env", envName: "DATABASE_URL", changed: true }],
  ])("is written if git %s", async (_, ignored, expected) => {
    git("init", "-q");
    writeFileSync(join(folder, ".gitignore"), ignored);
    const target = await openEnvTarget({}, folder, context);
    expect(existsSync(target.path)).toBe(false);
    expect(await target.write(secret)).toMatchObject(expected);
    expect(readFileSync(target.path, "utf8")).toBe(`DATABASE_URL="${secret}"\n`);
    expect(statSync(target.path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["", root],
    [", although there is no folder for locks", join(root, "file")],
  ])("keeps the variables of other servers that write at the same time%s", async (label, stateFolder) => {
    writeFileSync(join(root, "file"), "");
    const env = { ...context.env, XDG_STATE_HOME: stateFolder };
    const createContext = () => ({ env, signal: new AbortController().signal });
    const names = Array.from({ length: label === "" ? 20 : 1 }, (_, index) => `URL_${String(index)}`);
    const targets = await Promise.all(
      names.map((envName) => openEnvTarget({ envName }, folder, createContext())),
    );
    await Promise.all(targets.map((target) => target.write(secret)));
    const lines = readFileSync(join(folder, ".env"), "utf8").trim().split("\n");
    expect(lines.sort()).toEqual(names.map((name) => `${name}="${secret}"`).sort());
  });

  it("is refused if git cannot read the repository, which may track it", async () => {
    git("init", "-q");
    writeFileSync(join(folder, ".gitignore"), ".env\n");
    writeFileSync(join(folder, ".git/HEAD"), "none");
    await expect(openEnvTarget({}, folder, context)).rejects.toMatchObject({
      code: "mcp:repository_unreadable",
    });
    expect(existsSync(join(folder, ".env"))).toBe(false);
  });

  it("is refused in the home folder and in the root, where clients may start the server", async () => {
    for (const unsafe of [homedir(), "/"]) {
      await expect(openEnvTarget({}, unsafe, context)).rejects.toMatchObject({
        code: "mcp:env_file_refused",
      });
    }
  });

  it("leaves the secret to the user alone if it cannot be written any more", async () => {
    const target = await openEnvTarget({ envName: "DB" }, folder, context);
    mkdirSync(target.path);
    const error: unknown = await target.write(secret).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "mcp:secret_not_written" });
    const [, path = ""] = /in (\S+recovered-\S+\.env)/.exec(String((error as { hint?: string }).hint)) ?? [];
    expect(readFileSync(path, "utf8")).toBe(`DB="${secret}"\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(String((error as Error).message)).not.toContain("secret-of-the-test");
  });
});
