import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { addToGitignore } from "./ignore-in-git.js";
import { temporaryFolder } from "../../test/folders.js";
import { type RecordedClone, recordedGit } from "../../test/git/recorded-git.js";
import { runInProcess, type Setup } from "../../test/in-process.js";
import { recordPrograms } from "../../test/recorded-programs.js";

const root = temporaryFolder();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "ignore-"));
});

const gitignore = (): string | undefined =>
  existsSync(join(folder, ".gitignore")) ? readFileSync(join(folder, ".gitignore"), "latin1") : undefined;

describe("lines for .gitignore", () => {
  it.each<[string | undefined, string[], string]>([
    [undefined, [".env", ".mgmt/"], ".env\n.mgmt/\n"],
    ["", [".env"], ".env\n"],
    ["a\n", [".env"], "a\n.env\n"],
    ["a", [".env"], "a\n.env\n"],
    ["a\r\nb", [".env"], "a\r\nb\r\n.env\r\n"],
    [".env\n", [], ".env\n"],
    [" .env \nb", [], " .env \nb"],
    ["#.env\n", [".env"], "#.env\n.env\n"],
    ["\xe4\n", [".env"], "\xe4\n.env\n"],
  ])("are added to %j unless they are there", async (before, expected, after) => {
    if (before !== undefined) writeFileSync(join(folder, ".gitignore"), before, "latin1");
    const lines = expected.length === 2 ? expected : [".env"];
    expect(await addToGitignore(lines, folder)).toEqual(expected);
    expect(gitignore()).toBe(after);
  });

  it.each([
    ["UTF-16", () => writeFileSync(join(folder, ".gitignore"), "\ufeffa\n", "utf16le")],
    ["a symbolic link", () => symlinkSync("/etc/hostname", join(folder, ".gitignore"))],
  ])("are not added to %s", async (_, create) => {
    create();
    const before = gitignore();
    await expect(addToGitignore([".env"], folder)).rejects.toMatchObject({ code: "gitignore:unwritable" });
    expect(gitignore()).toBe(before);
  });
});

describe("mgmt link in a clone", () => {
  const link = (clone: RecordedClone, flags: string, setup: Setup = {}) =>
    runInProcess(["link", "--project-id", "proj_1", "--no-verify", ...flags.split(" ").filter(Boolean)], {
      cwd: folder,
      ...setup,
      env: recordPrograms({ git: recordedGit(clone) }).env,
    });
  const answering = (answer: string): Setup => ({
    terminal: true,
    reply: (stderr) => (stderr.includes("to .gitignore?") ? answer : undefined),
  });

  it.each<[string, RecordedClone, string, Setup, string | undefined, string]>([
    ["as the flag says", {}, "--gitignore", {}, ".mgmt/\n", "Added .mgmt/ to .gitignore."],
    ["not if the flag says so", {}, "--no-gitignore", {}, undefined, "Wrote"],
    ["not where nobody can be asked", {}, "", {}, undefined, "git does not ignore"],
    ["as a person says", {}, "", answering("y\n"), ".mgmt/\n", "Added"],
    ["as a person says by Enter", {}, "", answering("\n"), ".mgmt/\n", "Added"],
    ["not as a person says", {}, "", answering("n\n"), undefined, "git does not ignore"],
    ["not if it is ignored", { ignored: ["link.json"] }, "--gitignore", {}, undefined, "Wrote"],
    ["not if it is tracked", { tracked: ["link.json"] }, "", {}, undefined, "git rm --cached"],
    ["not outside of a clone", { isClone: false }, "--gitignore", {}, undefined, "Wrote"],
  ])("is ignored %s", async (_, clone, flags, setup, content, text) => {
    const { status, stderr } = await link(clone, flags, setup);
    expect(status, stderr).toBe(0);
    expect([gitignore(), stderr]).toEqual([content, expect.stringContaining(text)]);
  });

  it("says nothing of a risk where a flag has decided, or there is none", async () => {
    for (const flags of ["--no-gitignore", "--gitignore"])
      expect((await link({}, flags)).stderr).not.toContain("git does not ignore");
    expect((await link({ ignored: ["link.json"] }, "")).stderr).not.toContain("git does not ignore");
  });
});
