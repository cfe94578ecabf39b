import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { getCommandLine } from "../../src/command-line/command.js";
import { temporaryFolder } from "../folders.js";
import { runInProcess } from "../in-process.js";
import { definedCommands } from "../program.js";
import type { Result } from "../result.js";
import { useSession } from "../terminal.js";

const root = temporaryFolder();
const session = useSession();
let folder: string;
let project: { id: string; databaseId: string };
beforeAll(async () => {
  const { id, database } = await session.server.engine.seed.project({ name: "shop", logicalId: "shop" });
  project = { id, databaseId: database?.id ?? "" };
});
beforeEach(() => {
  folder = mkdtempSync(join(root, "paths-"));
});

const run = (line: readonly string[], { env = {}, stdin = "" } = {}): Promise<Result> =>
  // Without git, which would be a process.
  runInProcess(line, { env: { ...session.env, PATH: folder, ...env }, cwd: folder, stdin });

const manifest = "version: 1\nprojects:\n  shop:\n    name: shop\n";

describe("a flag that takes a path", () => {
  it("says what - means, or refuses it", async () => {
    // Folders, a file that a later step of a job reads, files that a server reads again, and one that it writes.
    const rejecting = ["--data-dir", "--folder", "--gitlab-dotenv", "--config", "--key-file", "--audit-file"];
    const silent: string[] = [];
    for (const command of await definedCommands()) {
      for (const { long, flags, description, hidden } of command.options) {
        if (hidden || !/<[^>]*(path|file|dir)[^>]*>/.test(flags) || rejecting.includes(long ?? "")) continue;
        if (!/(?:^|[\s(;,])- (?:for|reads|prints)/.test(description))
          silent.push(`${command.name()} ${flags}`);
      }
    }
    expect(silent).toEqual([]);
  });

  it("refuses an empty path before anything else happens", async () => {
    const lines: string[][] = [];
    for (const command of await definedCommands()) {
      // A group does nothing, but for mgmt dev and mgmt serve.
      if (command.commands.length > 0 && !["dev", "serve"].includes(command.name())) continue;
      const words = getCommandLine(command).split(" ").slice(1);
      const needed = command.registeredArguments.filter(({ required }) => required).map(() => "x");
      for (const { long, flags, hidden } of command.options)
        if (!hidden && long && flags.endsWith("<path>")) lines.push([...words, long, "", ...needed]);
    }
    for (const flag of [
      "--data-dir",
      "--file",
      "--out",
      "--secret-file",
      "--token-file",
      "--ndjson",
      "--input",
    ])
      expect(lines.some((line) => line.includes(flag))).toBe(true);
    const before = session.server.engine.requests.length;
    for (const line of lines) {
      const { status, stdout, stderr } = await run(line);
      const flag = line[line.indexOf("") - 1] ?? "";
      expect({ line, status, stdout, stderr }).toEqual({
        line,
        status: 2,
        stdout: "",
        stderr: expect.stringMatching(new RegExp(`^error: ${flag} must not be empty .*\\nhint: Pass a path`)),
      });
    }
    expect(session.server.engine.requests).toHaveLength(before);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("refuses - for a folder", async () => {
    const { status, stderr } = await run(["dev", "--data-dir", "-"]);
    expect(status).toBe(2);
    expect(stderr).toContain("--data-dir must be a folder");
    expect(existsSync(join(folder, "-"))).toBe(false);
  });

  it("reads a plan and a manifest from standard input, and writes a plan to standard output", async () => {
    const planned = await run(["plan", "--file", "-", "--out", "-"], { stdin: manifest });
    expect(planned).toMatchObject({ status: 0, stderr: "" });
    expect(planned.json).toMatchObject({ version: 1, steps: [] });
    expect(existsSync(join(folder, "-"))).toBe(false);
    expect((await run(["apply", "-"], { stdin: planned.stdout })).status).toBe(0);
    const changed = manifest.replace("name: shop", "name: renamed");
    expect((await run(["plan", "-f", "-", "--out", "-", "--exit-code"], { stdin: changed })).status).toBe(2);
  });

  it("reads the token from standard input", async () => {
    const { MGMT_TOKEN: token = "", ...env } = session.env;
    const result = await runInProcess(["me", "get", "--token-file", "-"], { env, stdin: `${token}\n` });
    expect(result.status).toBe(0);
  });

  it("writes the variable of env and of preview up to standard output, and no file", async () => {
    const lines = [
      ["env", project.databaseId, "--file", "-"],
      ["preview", "up", "--project-id", project.id, "--branch", "a", "--file", "-"],
    ];
    for (const line of lines) {
      const { status, stdout } = await run([...line, "--name", "TEST_URL"]);
      expect({ line, status }).toEqual({ line, status: 0 });
      expect(stdout).toMatch(/^TEST_URL="postgresql:\/\/[^"]+"\n$/);
      const refused = await run(line, { env: { CI: "true" } });
      expect({ line, status: refused.status, stdout: refused.stdout }).toEqual({
        line,
        status: 2,
        stdout: "",
      });
      expect(refused.stderr).toContain("secrets:in_log");
      const [, flag = "none"] = /^hint: Pass (--\S+) PATH/m.exec(refused.stderr) ?? [];
      expect((await run([...line, "--help"])).stdout).toContain(`${flag} <path>`);
      const asked = await run([...line, "--show-secrets"], { env: { CI: "true", GITHUB_ACTIONS: "true" } });
      const [, url = ""] = /^DATABASE_URL="(.+)"\n$/.exec(asked.stdout) ?? [];
      expect(asked.stderr).toContain(`::add-mask::${url}\n`);
    }
    expect(existsSync(join(folder, "-"))).toBe(false);
  });
});

describe("mgmt env in CI", () => {
  it("writes the file as elsewhere, and hides the connection string in the log", async () => {
    const { status, stdout, stderr } = await run(["env", project.databaseId], {
      env: { CI: "true", GITHUB_ACTIONS: "true" },
    });
    expect(status).toBe(0);
    const file = join(folder, ".env");
    const [, url = ""] = /^DATABASE_URL="(.+)"\n$/.exec(readFileSync(file, "utf8")) ?? [];
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(stderr).toContain(`::add-mask::${url}\n`);
    expect(stdout).not.toContain(new URL(url).password);
  });

  it("sets a variable instead of writing .env", async () => {
    const github = join(folder, "github-env");
    writeFileSync(github, "");
    const env = { CI: "true", GITHUB_ACTIONS: "true", GITHUB_ENV: github };
    const line = ["env", project.databaseId, "--github-env", "DATABASE_URL", "-o", "json"];
    const { status, json, stdout, stderr } = await run(line, { env });
    expect(status).toBe(0);
    expect(json).toMatchObject({ file: null, databaseId: project.databaseId });
    const [, , url = ""] = /^DATABASE_URL<<(\S+)\n(.+)\n\1\n$/.exec(readFileSync(github, "utf8")) ?? [];
    expect(stderr).toContain(`::add-mask::${url}\n`);
    expect(stdout).not.toContain(new URL(url).password);
    expect(existsSync(join(folder, ".env"))).toBe(false);
    const outside = await run(["env", project.databaseId, "--github-env", "A"]);
    expect(outside).toMatchObject({ status: 2, stderr: expect.stringContaining("github:not_running") });
  });
});
