import { describe, expect, it } from "vitest";
import { type Usage, chooseExcessive, computeFairLimit, computeFairLimits } from "./fair-limit.js";

describe("the fair limit", () => {
  it.each([
    { amounts: [100, 100, 100, 100, 100], total: 400, limit: 80 },
    { amounts: [100, 2, 3, 100], total: 105, limit: 50 },
    { amounts: [1, 1, 1], total: 400, limit: 1 },
    { amounts: [7, 9], total: 16, limit: 9 },
    { amounts: [5, 5, 5], total: 2, limit: 1 },
    { amounts: [], total: 10, limit: 1 },
  ])("of $amounts with $total together is $limit", ({ amounts, total, limit }) => {
    expect(computeFairLimit(amounts, total)).toBe(limit);
  });
});

/** Returns what the databases of workspaces use: `{ many: [1, 2] }` has the databases `many0` and `many1`. */
const makeUsages = (amounts: Record<string, readonly number[]>): (Usage & { name: string })[] =>
  Object.entries(amounts).flatMap(([workspace, list]) =>
    list.map((amount, index) => ({ workspace, amount, name: `${workspace}${String(index)}` })),
  );

describe("the fair limits", () => {
  const limitsOf = (amounts: Record<string, readonly number[]>, total: number) => {
    const usages = new Map(makeUsages(amounts).map((usage) => [usage.name, usage]));
    const { perWorkspace, perDatabase } = computeFairLimits(usages, total);
    return { perWorkspace, perDatabase: Object.fromEntries(perDatabase) };
  };

  it("give a workspace with many databases no more than one with a single database", () => {
    expect(limitsOf({ many: Array.from({ length: 9 }, () => 10), one: [60] }, 100)).toEqual({
      perWorkspace: 50,
      perDatabase: {
        ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`many${String(index)}`, 5])),
        one0: 50,
      },
    });
  });

  it("leave databases alone whose workspace has less", () => {
    expect(limitsOf({ many: [40, 40, 40], one: [30] }, 100)).toEqual({
      perWorkspace: 70,
      perDatabase: { many0: 23, many1: 23, many2: 23 },
    });
  });

  it("leave nothing to some databases of a workspace that has more of them than its limit", () => {
    expect(limitsOf({ many: [1, 1, 1, 1], one: [4] }, 4)).toEqual({
      perWorkspace: 2,
      perDatabase: { many0: 1, many1: 1, many2: 0, many3: 0, one0: 2 },
    });
  });
});

describe("the choice of databases that give up what they use", () => {
  const choose = (amounts: Record<string, readonly number[]>, total: number): string[] =>
    chooseExcessive(makeUsages(amounts), total).map(({ name }) => name);

  it("takes a workspace with nine small databases instead of its neighbor with the largest one", () => {
    expect(choose({ one: [30], many: Array.from({ length: 9 }, () => 10) }, 110)).toEqual(["many0"]);
  });

  it("takes the largest databases, until the others use little enough", () => {
    expect(choose({ many: [10, 50, 20, 30], one: [60] }, 100)).toEqual(["many1", "many3"]);
    expect(choose({ many: [10, 50, 20, 30], one: [60] }, 90)).toEqual(["many1", "many3"]);
    expect(choose({ many: [10, 50, 20, 30], one: [60] }, 89)).toEqual(["many1", "many3", "many2"]);
  });

  it("takes no database of another workspace, even if that is not enough", () => {
    expect(choose({ many: [10, 20], one: [25] }, 0)).toEqual(["many1", "many0"]);
  });

  it("takes none while there is enough", () => {
    expect(choose({ many: [10, 20], one: [25] }, 55)).toEqual([]);
    expect(choose({}, 0)).toEqual([]);
  });
});
