import { describe, expect, it } from "vitest";
import { performancePage, printPerformance } from "../../bench/performance/page.js";
import { sections } from "../../bench/performance/sections.js";
import type { Finding } from "../../bench/runner/measurement.js";
import { ratio } from "../../bench/runner/goals.js";
import { readMeasured } from "../../bench/runner/measured.js";
import { pictureIn } from "../../site/.vitepress/pictures.mjs";

const call: Finding = {
  title: "one call",
  subject: { name: "@mgmt/sdk", unit: "µs", rounds: [110, 120, 500] },
  baseline: { name: "fetch <with> a deadline", unit: "µs", rounds: [100, 100, 100] },
  others: [{ name: "stripe", unit: "µs", rounds: [240] }],
  goal: ratio(1.1),
};
const print = (findings: readonly Finding[]): Map<string, string> =>
  printPerformance({ sdk: { commit: "0123456789abcdef", machine: "a machine", node: "20.19.0", findings } });

describe("the page about performance", () => {
  it("has the median, the ratio, and whether the goal is met", () => {
    expect(print([call]).get(performancePage)).toContain(
      "| one call | 120.0 µs | fetch <with> a deadline: 100.0 µs | ratio 1.20 | ratio ≤ 1.1: missed |",
    );
  });

  it("shows all contenders in a plot for light and for dark pages", () => {
    const svg = print([call]).get("docs/images/performance-sdk.svg") ?? "";
    const lengths = [...svg.matchAll(/width="(\d+)" height="14" class="(\w+)"/g)].map(([, length, kind]) => [
      Number(length),
      kind,
    ]);
    // The texts beside the bars take the rest of the width.
    expect(lengths).toEqual([
      [264, "ours"],
      [220, "other"],
      [528, "other"],
    ]);
    expect(svg).toContain("fetch &lt;with> a deadline");
    expect(pictureIn(svg, "dark")).toContain(".ours{fill:#4493f8}");
    expect(pictureIn(svg, "light")).not.toContain("#4493f8");
  });

  it("leaves out what was not measured", () => {
    const files = print([]);
    expect([...files.keys()]).toEqual([performancePage]);
    expect(files.get(performancePage)).not.toContain("## The SDK");
  });

  it("has a section for every bench that was measured", () => {
    const known = new Set(sections.map(({ bench }) => bench));
    expect(Object.keys(readMeasured()).filter((bench) => !known.has(bench))).toEqual([]);
    expect(Object.keys(readMeasured())).not.toEqual([]);
  });
});
