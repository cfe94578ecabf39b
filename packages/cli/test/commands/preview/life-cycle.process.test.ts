import { describe, expect, it } from "vitest";
import { usePlace } from "./place.js";

const place = usePlace();

describe("the previews of a clone", () => {
  it("are listed and deleted by what git says about its branches", async () => {
    const clone = place.clone(place.bareRepository("shop.git"), "clone");
    for (const branch of ["gone", "exists", "local", "elsewhere"]) {
      place.startBranch(clone, branch, { push: branch !== "local" });
      await place.mgmtIn(clone)`preview up`;
    }
    place.git(clone, "push", "--quiet", "origin", ":gone", ":elsewhere");
    place.git(clone, "checkout", "--quiet", "main");
    place.git(clone, "worktree", "add", "--quiet", "../tree", "elsewhere");
    expect(await place.states(clone)).toEqual({
      gone: "gone",
      exists: "exists",
      local: "not-pushed",
      elsewhere: "checked-out",
    });
    const { json } = await place.mgmtIn(clone)`preview prune --min-age 0 --yes -o json`;
    expect(json).toMatchObject([{ branch: "gone", reason: "gone" }]);
  });
});
