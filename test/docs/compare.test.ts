import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMeasured } from "../../bench/compare/measured.js";
import { betterThanOurs, comparePage, printComparison } from "../../bench/compare/page.js";
import { loadSdk, ours, peers } from "../../bench/compare/sdk.js";
import { sections } from "../../bench/compare/sections.js";
import { root } from "../../scripts/generate/contract/contract.js";

const measured = readMeasured();
const measuredRows = measured.sections.flatMap(({ rows }) => rows);
const rows = sections.flatMap((section) => section.rows);

describe("the comparison with other SDKs", () => {
  it("has all points, each with a result of every SDK", () => {
    expect(measuredRows.map(({ title }) => title)).toEqual(rows.map(({ title }) => title));
    expect(measured.sections.map(({ about }) => about)).toEqual(sections.map(({ about }) => about));
    for (const { cells } of measuredRows) expect(Object.keys(cells)).toEqual([ours, ...peers]);
    expect(readFileSync(join(root, "docs/README.md"), "utf8").replaceAll(/\s+/g, " ")).toContain(
      `compares the SDK with others in ${String(rows.length)} points`,
    );
  });

  it.each(rows.filter(({ varies }) => !varies))("is true for this SDK: $title", async (row) => {
    const last = measuredRows.find(({ title }) => title === row.title);
    expect(
      await row.measure(await loadSdk(ours)),
      "`npm run bench -- compare --ours` writes the page anew",
    ).toEqual(last?.cells[ours]);
  });

  it("says where another SDK is better", () => {
    const worse = measuredRows.filter((row) => betterThanOurs(row).length > 0);
    const text = readFileSync(join(root, comparePage), "utf8");
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      `In ${String(worse.length)} of them, [another SDK is better](#where-another-sdk-is-better).`,
    );
    const [, section = ""] = text.split(/^## Where another SDK is better$/m);
    const listed = [...section.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, title]) => title);
    expect(listed).toEqual(worse.map(({ title }) => title));
    for (const { title, reason } of worse) expect(reason, `${title} needs a reason`).toBeDefined();
  });

  it("calls an SDK better whose result has a lower rank", () => {
    const cells = {
      mgmt: { text: "2", rank: 2 },
      stripe: { text: "1", rank: 1 },
      openai: { text: "2", rank: 2 },
      octokit: { text: "3", rank: 3 },
    };
    expect(betterThanOurs({ title: "packages", cells })).toEqual(["stripe"]);
    const page = printComparison({
      sdks: [{ name: "stripe", package: "stripe", version: "1.0" }],
      sections: [{ title: "Size", about: "", rows: [{ title: "packages", reason: "Because.", cells }] }],
    });
    expect(page).toContain("- **packages**: `stripe`. Because.");
  });
});
