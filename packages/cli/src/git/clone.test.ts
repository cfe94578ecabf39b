import { describe, expect, it } from "vitest";
import {
  findCommitOfBranch,
  findCurrentBranch,
  resolveRootFolder,
  hasFetchedBranch,
  listCheckedOutBranches,
  listRemotes,
} from "./clone.js";
import type { GitEnvironment } from "./run-git.js";
import { type ProgramEnd, recordPrograms } from "../../test/recorded-programs.js";
import { type RecordedClone, recordedGit } from "../../test/git/recorded-git.js";

const environmentOf = (clone: RecordedClone): GitEnvironment => {
  const { env } = recordPrograms({ git: recordedGit(clone) });
  return { cwd: "/srv/clone/src", env, signal: new AbortController().signal };
};

/** Git answers every call with this. */
const failing = (end: ProgramEnd): GitEnvironment => {
  const { env } = recordPrograms({ git: () => end });
  return { cwd: "/", env, signal: new AbortController().signal };
};

describe("a clone", () => {
  it.each<[RecordedClone, string | null | undefined]>([
    [{ branch: "feature/cart" }, "feature/cart"],
    [{ branch: null }, null],
    [{ isClone: false }, undefined],
  ])("says its branch: %j", async (clone, branch) => {
    expect(await findCurrentBranch(environmentOf(clone))).toBe(branch);
  });

  it.each<[string, ProgramEnd]>([
    ["another user owns it", { status: 128, stderr: "fatal: detected dubious ownership" }],
    ["its settings are damaged", { status: 128, stderr: "fatal: bad config line 1" }],
    ["git is killed", { signal: "SIGKILL", stderr: "" }],
  ])("is refused if %s, rather than taken for no clone", async (_, end) => {
    const refused = { code: "preview:git_refuses" };
    await expect(findCurrentBranch(failing(end))).rejects.toMatchObject(refused);
    await expect(listRemotes(failing(end))).rejects.toMatchObject(refused);
    await expect(listCheckedOutBranches(failing(end))).rejects.toMatchObject(refused);
  });

  it("that only an explicit GIT_DIR would use is none", async () => {
    const end = { status: 128, stderr: "fatal: cannot use bare repository '/srv' (safe.bareRepository)" };
    expect(await listRemotes(failing(end))).toEqual([]);
  });

  it("says the branches of all its worktrees", async () => {
    const branches = await listCheckedOutBranches(environmentOf({ worktrees: ["main", "feature/cart"] }));
    expect([...branches]).toEqual(["main", "feature/cart"]);
    expect((await listCheckedOutBranches(environmentOf({ isClone: false }))).size).toBe(0);
  });

  it("says its remotes, without one that has no address", async () => {
    const remotes = { origin: "https://git.example/a.git", empty: "", other: "/srv/b" };
    expect(await listRemotes(environmentOf({ remotes }))).toEqual([
      { name: "origin", url: remotes.origin },
      { name: "other", url: remotes.other },
    ]);
  });

  it("says its root, or the folder stands for it", async () => {
    expect(await resolveRootFolder(environmentOf({}))).toBe("/srv/clone");
    expect(await resolveRootFolder(environmentOf({ isClone: false }))).toBe("/srv/clone/src");
  });

  it.each<[Record<string, string>, string | undefined, string | undefined]>([
    [{ "refs/heads/a": "1", "refs/remotes/origin/a": "2" }, "origin", "1"],
    [{ "refs/remotes/origin/a": "2", "refs/remotes/fork/a": "3" }, "fork", "3"],
    [{ "refs/remotes/origin/a": "2" }, undefined, undefined],
    [{ "refs/tags/a": "4" }, "origin", undefined],
  ])("says the commit of a branch before that of its remote: %j with %s", async (refs, remote, commit) => {
    expect(await findCommitOfBranch("a", remote, environmentOf({ refs }))).toBe(commit);
  });

  it("knows which branches of a remote were fetched", async () => {
    const environment = environmentOf({ refs: { "refs/remotes/origin/a": "2", "refs/heads/b": "1" } });
    expect(await hasFetchedBranch("a", "origin", environment)).toBe(true);
    expect(await hasFetchedBranch("b", "origin", environment)).toBe(false);
  });
});
