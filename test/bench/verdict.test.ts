import { describe, expect, it } from "vitest";
import { isWorse, seemsWorse } from "../../bench/commits/verdict.js";

const base = [100, 104, 101, 130, 102];
const times = (factor: number): number[] => base.map((cost) => cost * factor);

describe("the verdict on two commits", () => {
  it("is worse if the least and the median have grown by over 8 percent", () => {
    expect(isWorse(base, times(1.09))).toBe(true);
    expect(isWorse(base, times(1.5))).toBe(true);
  });

  it.each([
    ["the same", base],
    ["7 percent more", times(1.07)],
    ["half", times(0.5)],
    ["more in the median only", [100, 150, 160, 170, 180]],
    ["more in the least only", [109, 109, 109, 130, 109]],
  ])("is not worse if it costs %s", (_what, head) => {
    expect(seemsWorse(base, head)).toBe(false);
  });

  it("is not worse if rounds of one commit differ more than the commits do", () => {
    const costs = [
      [100, 160, 130, 190, 145],
      [112, 172, 142, 202, 157],
    ] as const;
    expect(seemsWorse(...costs)).toBe(true);
    expect(isWorse(...costs)).toBe(false);
  });
});
