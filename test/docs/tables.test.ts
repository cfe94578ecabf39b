import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { pages } from "./markdown.js";

/** Returns the first row of every table: the line above the dashes. */
const headsIn = (text: string): string[] =>
  [...text.matchAll(/^(\|.*\|)\n\|(?: *:?-+:? *\|)+$/gm)].map(([, head = ""]) => head);

const hasUnnamed = (head: string): boolean =>
  head
    .split("|")
    .slice(1, -1)
    .some((cell) => cell.trim() === "");

describe("the tables of the pages", () => {
  it("have a name for every column", () => {
    const heads = pages.flatMap((page) =>
      headsIn(readFileSync(join(root, page), "utf8")).map((head) => ({ page, head })),
    );
    expect(heads.length).toBeGreaterThan(200);
    expect(heads.filter(({ head }) => hasUnnamed(head))).toEqual([]);
  });

  it("would be found if a column had none", () => {
    const [head = ""] = headsIn("text\n\n|      | goal |\n| ---- | ---: |\n| size | 5 KB |\n");
    expect(hasUnnamed(head)).toBe(true);
  });
});
