import { expect, it } from "vitest";
import { getGitBranchStatus, type GitState } from "./git-branch-status.js";

const pushed = { repository: "shop-1", record: { pushed: true } };
const local = { repository: "shop-1", record: {} };
const manual = { repository: null, record: {} };

const shop: GitState = {
  repositoryKey: "shop-1",
  checkedOutBranches: new Set(["current"]),
  remoteBranches: new Set(["current", "main"]),
};
const withoutRemote: GitState = { ...shop, remoteBranches: undefined };
const noRepository: GitState = { ...withoutRemote, repositoryKey: undefined };
const otherShop: GitState = { ...shop, repositoryKey: "shop-2" };

it.each([
  ["current", "checked-out", pushed, shop],
  ["current", "checked-out", manual, shop],
  ["current", "checked-out", manual, otherShop],
  ["current", "checked-out", pushed, noRepository],
  ["current", "other-repository", pushed, otherShop],
  ["main", "exists", pushed, shop],
  ["main", "exists", local, shop],
  ["main", "unknown", manual, shop],
  ["other", "gone", pushed, shop],
  ["other", "not-pushed", local, shop],
  ["other", "unknown", pushed, withoutRemote],
  ["other", "unknown", pushed, noRepository],
])("the branch %s of a preview is %s: %j", (branch, expected, preview, state) => {
  expect(getGitBranchStatus(branch, preview, state)).toBe(expected);
});
