import { describe, expect, it } from "vitest";
import { findBranchNameProblem } from "./branch-name.js";

describe("a name that git refuses for a branch", () => {
  it.each([
    ["a\nb", "control character"],
    ["a\u007fb", "control character"],
    ["a b", "a space"],
    ...[..."~^:?*[\\"].map((character): [string, string] => [`a${character}b`, character]),
    ["a..b", ".."],
    ["a@{b", "@{"],
    ["-a", "starts with -"],
    ["", "starts or ends with /"],
    ["/a", "starts or ends with /"],
    ["a/", "starts or ends with /"],
    ["a//b", "//"],
    [".a", "starts with ."],
    ["a/.b", "starts with ."],
    ["a.lock", "ends with .lock"],
    ["a.lock/b", "ends with .lock"],
    ["a.", "ends with ."],
    ["@", "current commit"],
    ["HEAD", "current commit"],
  ])("%j: %s", (name, problem) => {
    expect(findBranchNameProblem(name)).toContain(problem);
  });

  it.each(["main", "feature/cart", "a.b", "a@b", "a-b", "a/HEAD", "lock", "a.lockb", "ä"])(
    "is not %j",
    (name) => {
      expect(findBranchNameProblem(name)).toBeUndefined();
    },
  );
});
