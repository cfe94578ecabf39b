import { describe, expect, it } from "vitest";
import { readMeasured } from "../../bench/compare/measured.js";
import { betterThanOurs } from "../../bench/compare/page.js";
import { loadSdk, ours, peers } from "../../bench/compare/sdk.js";
import { sections } from "../../bench/compare/sections.js";

const measuredRows = readMeasured().sections.flatMap(({ rows }) => rows);
const rows = sections.flatMap((section) => section.rows);

/** The page is generated from these results. */
describe("the results of the comparison with other SDKs", () => {
  it("are those of every SDK in each point, with a reason where another one is better", () => {
    expect(measuredRows.map(({ title }) => title)).toEqual(rows.map(({ title }) => title));
    for (const { cells } of measuredRows) expect(Object.keys(cells)).toEqual([ours, ...peers]);
    const worse = measuredRows.filter((row) => betterThanOurs(row).length > 0);
    expect(worse.filter(({ reason }) => reason === undefined)).toEqual([]);
  });

  it.each(rows.filter(({ varies }) => !varies))("are true for this SDK: $title", async (row) => {
    const last = measuredRows.find(({ title }) => title === row.title);
    expect(
      await row.measure(await loadSdk(ours)),
      "`npm run bench -- compare --ours` writes the page anew",
    ).toEqual(last?.cells[ours]);
  });
});
