import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replaceFile } from "./replace-file.js";
import { bin, ensureBuilt } from "../../test/bin.js";
import { useAttackedRepository } from "../../test/files/attacked-repository.js";

const attacked = useAttackedRepository();
const git = (...args: string[]): void =>
  void execFileSync("git", args, { cwd: attacked.repository, stdio: "pipe" });

describe.skipIf(process.platform === "win32")("mgmt env in a repository that may attack", () => {
  it.each([
    ["a named pipe", () => execFileSync("mkfifo", [join(attacked.repository, ".env")]), "not a regular file"],
    ["a folder", () => mkdirSync(join(attacked.repository, ".env")), "not a regular file"],
  ])("neither waits for nor replaces %s", async (_, plant, reason) => {
    plant();
    const before = lstatSync(join(attacked.repository, ".env"));
    expect(await attacked.run("env")).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) });
    expect(lstatSync(join(attacked.repository, ".env")).ino).toBe(before.ino);
    expect(readdirSync(attacked.repository)).toEqual([".env"]);
  });

  it("warns about a file that git does not ignore, or has already", async () => {
    git("init", "--quiet");
    const warning = (message: string) => ({
      warning: expect.objectContaining({ code: "env:tracked", message: expect.stringContaining(message) }),
    });
    const notIgnored = warning("Add .env to .gitignore.");
    expect((await attacked.run("env -o json")).errors).toEqual([notIgnored]);
    writeFileSync(join(attacked.repository, ".gitignore"), ".env\n");
    expect((await attacked.run("env -o json")).stderr).toBe("");
    git("add", "--force", ".env");
    const tracked = warning(`Run: git rm --cached ${join(attacked.repository, ".env")}.`);
    expect((await attacked.run("env -o json")).errors).toEqual([tracked]);
    git("rm", "--quiet", "--cached", ".env");
    expect((await attacked.run("env -o json")).stderr).toBe("");
  });

  it("runs no program that the repository's configuration names", async () => {
    git("init", "--quiet");
    const program = join(attacked.repository, "attack.sh");
    writeFileSync(program, `#!/bin/sh\ntouch ${join(attacked.home, "attacked")}\n`, { mode: 0o755 });
    git("config", "core.fsmonitor", program);
    await attacked.run("env");
    attacked.expectHomeUnchanged();
  });
});

describe.skipIf(process.platform === "win32")("mgmt link in a repository that may attack", () => {
  it("says that git does not ignore it, or tracks it", async () => {
    git("init", "--quiet");
    const { errors } = await attacked.run(`link --project-id ${attacked.projectId} -o json`);
    expect(errors).toContainEqual({ notice: expect.objectContaining({ code: "link:tracked" }) });
    writeFileSync(join(attacked.repository, ".gitignore"), ".mgmt/\n");
    expect((await attacked.run(`link --project-id ${attacked.projectId} -o json`)).stderr).not.toContain(
      "link:tracked",
    );
    git("add", "--force", ".mgmt/link.json");
    const { stderr } = await attacked.run(`link --project-id ${attacked.projectId} -o json`);
    expect(stderr).toContain("run: git rm --cached");
  });
});

describe.skipIf(process.platform === "win32")("a manifest in a repository that may attack", () => {
  const manifest = "version: 1\nprojects: {}\n";

  it("may be what another program writes", async () => {
    await ensureBuilt();
    execFileSync("mkfifo", [join(attacked.repository, "pipe")]);
    const script = `cat > pipe <<< '${manifest}' & "$1" "$2" plan --file pipe && "$1" "$2" plan --file <(cat <<< '${manifest}')`;
    const env = { ...attacked.account.env, PATH: process.env["PATH"], MGMT_PROJECT_ID: attacked.projectId };
    const started = spawn("bash", ["-c", script, "bash", process.execPath, bin], {
      cwd: attacked.repository,
      env,
    });
    const [status] = (await once(started, "close")) as [number];
    expect(status).toBe(0);
  });
});

describe.skipIf(process.platform === "win32")("replaceFile", () => {
  it("writes nothing elsewhere while another process replaces the folder with a symbolic link", async () => {
    const target = join(attacked.repository, "config");
    mkdirSync(target);
    const swap = `
      const { renameSync, symlinkSync } = require("node:fs");
      symlinkSync(${JSON.stringify(attacked.home)}, "link");
      process.stdout.write("ready");
      for (;;) {
        renameSync("config", "kept");
        renameSync("link", "config");
        renameSync("config", "link");
        renameSync("kept", "config");
      }`;
    const attacker = spawn(process.execPath, ["-e", swap], { cwd: attacked.repository });
    try {
      await once(attacker.stdout, "data");
      let [written, refused] = [0, 0];
      for (let round = 0; round < 300; round += 1) {
        await replaceFile(join(target, ".env"), { root: attacked.repository }, () =>
          Buffer.from(String(round)),
        ).then(
          () => (written += 1),
          () => (refused += 1),
        );
        expect(readdirSync(attacked.home)).toEqual([".bashrc"]);
      }
      expect(written + refused).toBe(300);
    } finally {
      attacker.kill("SIGKILL");
      await once(attacker, "close");
    }
  });
});
