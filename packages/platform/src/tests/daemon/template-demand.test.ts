import { describe, expect, it } from "vitest";
import { TemplateDemand } from "./template-demand.js";

const mebibyte = 1024 ** 2;

describe("the demand for a template", () => {
  it("grows when tests have to wait, and falls when none begins for a while", () => {
    const demand = new TemplateDemand(0);
    expect(demand.computeCount(0, mebibyte)).toBe(8);
    demand.recordUse(1, false);
    expect(demand.computeCount(1, mebibyte)).toBe(8);
    for (let count = 0; count < 5; count += 1) demand.recordUse(2, true);
    expect(demand.computeCount(2, mebibyte)).toBe(64);
    expect(demand.computeCount(10_002, mebibyte)).toBe(4);
    expect([demand.isInUseAt(30_001), demand.isInUseAt(30_002)]).toEqual([true, false]);
    expect(demand.computeCount(30_002, mebibyte)).toBe(0);
    demand.resetIfIdle(10_002);
    demand.recordUse(10_003, false);
    expect([demand.isUnusedAt(610_002), demand.isUnusedAt(610_003)]).toEqual([false, true]);
    expect(demand.computeCount(10_003, mebibyte)).toBe(8);
  });

  it.each([
    [200 * mebibyte, 5],
    [4096 * mebibyte, 2],
    [0, 8],
  ])("for a template of %i bytes is %i copies at most", (bytes, count) => {
    expect(new TemplateDemand(0).computeCount(0, bytes)).toBe(count);
  });
});
