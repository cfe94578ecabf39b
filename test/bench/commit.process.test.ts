import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseBase, findCommit, workingTreeCommit } from "../../bench/commits/commit.js";

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
    commit("first");
    const left = commit("left");
    git("update-ref", "refs/remotes/origin/main", left);
    commit("one");
    commit("two");
    expect(chooseBase(repository)).toBe(left);
  });

  it("is the previous one if the branch is origin/main", () => {
    const previous = commit("previous");
    git("update-ref", "refs/remotes/origin/main", commit("present"));
    expect(chooseBase(repository)).toBe(previous);
  });

  it("is the previous one if there is no origin/main", () => {
    const previous = commit("previous");
    commit("present");
    expect(chooseBase(repository)).toBe(previous);
  });

  it("does not exist in a clone with one commit", () => {
    commit("first");
    commit("second");
    const origin = repository;
    repository = join(folder, "clone");
    execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${origin}`, repository]);
    expect(chooseBase(repository)).toBeUndefined();
  });

  it("does not exist outside a repository", () => {
    repository = join(folder, "missing");
    expect(chooseBase(repository)).toBeUndefined();
    expect(findCommit(repository, "HEAD")).toBeUndefined();
  });
});

describe("the commit of the working tree", () => {
  it("is the present one without changes", () => {
    const present = commit("present");
    expect(workingTreeCommit(repository)).toBe(present);
  });

  it("has the changes of tracked files, and leaves them where they are", () => {
    const file = join(repository, "file");
    writeFileSync(file, "before");
    git("add", "file");
    const present = commit("present");
    writeFileSync(file, "after");
    const changed = workingTreeCommit(repository) ?? "";
    expect(git("show", `${changed}:file`)).toBe("after");
    expect(git("rev-parse", "HEAD")).toBe(present);
    expect(git("status", "--short")).toBe("M file");
  });
});
