import { expect, it } from "vitest";
import { followTwice } from "./attempts.js";
import type { Run } from "./matrix.js";
import { type Followed, tableOf } from "./table.js";

const runs: Run[] = ["a.md", "b.md", "c.md"].map((page) => ({ page, node: "24", manager: "npm-11" }));

/** Follows pages, of which some fail, and keeps which. */
const failing = (...pages: string[]) => {
  const asked: string[][] = [];
  const follow = async (chosen: readonly Run[]): Promise<Followed[]> => {
    asked.push(chosen.map(({ page }) => page));
    return chosen.map(({ page, node, manager }) => ({
      ...{ page, node, manager, nodeVersion: "24.0.0", managerVersion: "11.0.0", attempts: 1 },
      outcome: {
        faults: pages.includes(page) ? ["It fails."] : [],
        versions: {},
        milliseconds: 1_000,
      },
    }));
  };
  return { asked, follow };
};
const marksOf = (followed: readonly Followed[]): string[] | null =>
  tableOf(followed).match(/ok \(2nd\)|ok|FAILS/g);

it("follows the pages that fail once more", async () => {
  const again = failing();
  const followed = await followTwice(runs, failing("b.md").follow, again.follow);
  expect(again.asked).toEqual([["b.md"]]);
  expect(marksOf(followed)).toEqual(["ok", "ok (2nd)", "ok"]);
});

it("reports a page that fails again", async () => {
  const followed = await followTwice(runs, failing("b.md", "c.md").follow, failing("c.md").follow);
  expect(marksOf(followed)).toEqual(["ok", "ok (2nd)", "FAILS"]);
});

it("follows no page again if all pass", async () => {
  const again = failing();
  expect(await followTwice(runs, failing().follow, again.follow)).toHaveLength(3);
  expect(again.asked).toEqual([]);
});
