import { describe, expect, it } from "vitest";
import { openReplay } from "../../test/store/open-replay.js";
import { idsOf } from "../../test/store/store-under-test.js";

describe("a page of a step that has changed rows", () => {
  it("is full although rows of it were deleted", async () => {
    const { run } = openReplay("p1", "p2", "p3", "p4");
    const page = await run(({ projects }) => {
      projects.delete("p1");
      projects.update("p2", { workspaceId: "other" });
      return idsOf(projects.listPage({ where: { workspaceId: "w" }, limit: 2 }));
    });
    expect(page).toEqual(["p3", "p4"]);
  });
});
