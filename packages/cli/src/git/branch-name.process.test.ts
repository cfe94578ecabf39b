import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { findBranchNameProblem } from "./branch-name.js";

const rejectedNames = [
  ...[
    "a b",
    "a..b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "a\tb",
    "a\u007f",
    "-a",
    "/a",
    "a/",
    "a//b",
  ],
  ...[".a", "a/.b", "a.lock", "a.lock/b", "a.", "a@{1}", "HEAD"],
];
const acceptedNames = ["feature/cart", "a-b", "a@b", "a.b", "ä/🙂", "#1", "a{b}", "refs/x", "lock"];

it.each([...rejectedNames, ...acceptedNames])("judges the name of a branch as git does: %j", (name) => {
  const { status } = spawnSync("git", ["check-ref-format", "--branch", name]);
  expect(findBranchNameProblem(name) === undefined).toBe(status === 0);
  expect(acceptedNames.includes(name)).toBe(status === 0);
});
