import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseBase, findCommit } from "../../bench/commits/commit.js";

let folder: string;
let repository: string;

const git = (...parameters: string[]): string =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...parameters], {
    cwd: repository,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();

/** Makes a commit and returns its hash. */
const commit = (message: string): string => {
  git("commit", "--quiet", "--allow-empty", "--message", message);
  return git("rev-parse", "HEAD");
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-bench-commits-"));
  repository = folder;
  git("init", "--quiet", "--initial-branch", "main");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("the commit that a run in CI compares with", () => {
  it("is where the branch left origin/main", () => {
    const first = commit("first");
    const left = commit("left");
    git("update-ref", "refs/remotes/origin/main", left);
    commit("one");
    commit("two");
    expect(chooseBase(repository, first)?.commit).toBe(left);
  });

  it("is the commit that was measured last if the branch is origin/main", () => {
    const measured = commit("measured");
    commit("one");
    git("update-ref", "refs/remotes/origin/main", commit("two"));
    expect(chooseBase(repository, measured)?.commit).toBe(measured);
  });

  it.each([
    ["is unknown", () => "0123456789012345678901234567890123456789"],
    ["is empty", () => ""],
    ["looks like an option", () => "--all"],
    ["is none", () => undefined],
    ["is the present one", () => git("rev-parse", "HEAD")],
    [
      "belongs to another branch",
      () => {
        git("checkout", "--quiet", "-b", "other", "HEAD~1");
        const other = commit("other");
        git("checkout", "--quiet", "main");
        return other;
      },
    ],
  ])("is the previous one if the measured commit %s", (_what, measured) => {
    const previous = commit("previous");
    commit("present");
    expect(chooseBase(repository, measured())?.commit).toBe(previous);
  });

  it("does not exist in a clone with one commit", () => {
    commit("first");
    commit("second");
    const origin = repository;
    repository = join(folder, "clone");
    execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${origin}`, repository]);
    expect(chooseBase(repository, undefined)).toBeUndefined();
  });

  it("does not exist outside a repository", () => {
    repository = join(folder, "missing");
    expect(chooseBase(repository, undefined)).toBeUndefined();
    expect(findCommit(repository, "HEAD")).toBeUndefined();
  });
});
