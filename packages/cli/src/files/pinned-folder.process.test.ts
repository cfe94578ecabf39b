import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { replaceFile } from "./replace-file.js";
import { type Account, startAccount } from "../../test/commands/auth/account.js";
import { bin, ensureBuilt } from "../../test/bin.js";
import { temporaryFolder } from "../../test/folders.js";
import type { Result } from "../../test/result.js";

const root = temporaryFolder();
let account: Account;
let projectId: string;
/** A folder with somebody else's repository, and one that it must not reach. */
let repository: string;
let home: string;
beforeAll(async () => {
  account = await startAccount();
  await account.login();
  projectId = (await account.server.engine.seed.project()).id;
});
afterAll(() => account.close());
beforeEach(() => {
  repository = mkdtempSync(join(root, "repository-"));
  home = mkdtempSync(join(root, "home-"));
  writeFileSync(join(home, ".bashrc"), "export A=1\n");
});

const run = (line: string): Promise<Result> =>
  account.run(line.split(" "), {
    cwd: repository,
    env: { MGMT_PROJECT_ID: projectId, PATH: process.env["PATH"] },
  });
const untouched = (): void => {
  expect(readdirSync(home)).toEqual([".bashrc"]);
  expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("export A=1\n");
};
const git = (...args: string[]): void => void execFileSync("git", args, { cwd: repository, stdio: "pipe" });

describe.skipIf(process.platform === "win32")("mgmt env in a repository that may attack", () => {
  it.each([
    ["a named pipe", () => execFileSync("mkfifo", [join(repository, ".env")]), "not a regular file"],
    ["a folder", () => mkdirSync(join(repository, ".env")), "not a regular file"],
  ])("neither waits for nor replaces %s", async (_, plant, reason) => {
    plant();
    const before = lstatSync(join(repository, ".env"));
    expect(await run("env")).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) });
    expect(lstatSync(join(repository, ".env")).ino).toBe(before.ino);
    expect(readdirSync(repository)).toEqual([".env"]);
  });

  it("warns about a file that git does not ignore, or has already", async () => {
    git("init", "--quiet");
    const warning = (message: string) => ({
      warning: expect.objectContaining({ code: "env:tracked", message: expect.stringContaining(message) }),
    });
    const notIgnored = warning("Add .env to .gitignore.");
    expect((await run("env -o json")).errors).toEqual([notIgnored]);
    writeFileSync(join(repository, ".gitignore"), ".env\n");
    expect((await run("env -o json")).stderr).toBe("");
    git("add", "--force", ".env");
    const tracked = warning(`Run: git rm --cached ${join(repository, ".env")}.`);
    expect((await run("env -o json")).errors).toEqual([tracked]);
    git("rm", "--quiet", "--cached", ".env");
    expect((await run("env -o json")).stderr).toBe("");
  });

  it("runs no program that the repository's configuration names", async () => {
    git("init", "--quiet");
    const program = join(repository, "attack.sh");
    writeFileSync(program, `#!/bin/sh\ntouch ${join(home, "attacked")}\n`, { mode: 0o755 });
    git("config", "core.fsmonitor", program);
    await run("env");
    untouched();
  });
});

describe.skipIf(process.platform === "win32")("mgmt link in a repository that may attack", () => {
  it("says that git does not ignore it, or tracks it", async () => {
    git("init", "--quiet");
    const { errors } = await run(`link --project-id ${projectId} -o json`);
    expect(errors).toContainEqual({ notice: expect.objectContaining({ code: "link:tracked" }) });
    writeFileSync(join(repository, ".gitignore"), ".mgmt/\n");
    expect((await run(`link --project-id ${projectId} -o json`)).stderr).not.toContain("link:tracked");
    git("add", "--force", ".mgmt/link.json");
    const { stderr } = await run(`link --project-id ${projectId} -o json`);
    expect(stderr).toContain("run: git rm --cached");
  });
});

describe.skipIf(process.platform === "win32")("a manifest in a repository that may attack", () => {
  const manifest = "version: 1\nprojects: {}\n";

  it("may be what another program writes", async () => {
    await ensureBuilt();
    execFileSync("mkfifo", [join(repository, "pipe")]);
    const script = `cat > pipe <<< '${manifest}' & "$1" "$2" plan --file pipe && "$1" "$2" plan --file <(cat <<< '${manifest}')`;
    const env = { ...account.env, PATH: process.env["PATH"], MGMT_PROJECT_ID: projectId };
    const started = spawn("bash", ["-c", script, "bash", process.execPath, bin], { cwd: repository, env });
    const [status] = (await once(started, "close")) as [number];
    expect(status).toBe(0);
  });
});

describe.skipIf(process.platform === "win32")("replaceFile", () => {
  it("writes nothing elsewhere while another process replaces the folder with a symbolic link", async () => {
    const target = join(repository, "config");
    mkdirSync(target);
    const swap = `
      const { renameSync, symlinkSync } = require("node:fs");
      symlinkSync(${JSON.stringify(home)}, "link");
      process.stdout.write("ready");
      for (;;) {
        renameSync("config", "kept");
        renameSync("link", "config");
        renameSync("config", "link");
        renameSync("kept", "config");
      }`;
    const attacker = spawn(process.execPath, ["-e", swap], { cwd: repository });
    try {
      await once(attacker.stdout, "data");
      let [written, refused] = [0, 0];
      for (let round = 0; round < 300; round += 1) {
        await replaceFile(join(target, ".env"), { root: repository }, () => Buffer.from(String(round))).then(
          () => (written += 1),
          () => (refused += 1),
        );
        expect(readdirSync(home)).toEqual([".bashrc"]);
      }
      expect(written + refused).toBe(300);
    } finally {
      attacker.kill("SIGKILL");
      await once(attacker, "close");
    }
  });
});
