import { describe, expect, it } from "vitest";
import { MissingRowsError, buildPreloadKey, runBatched, mapBatched } from "./preload.js";

const miss = (name: string, calls: string[]) => (): never => {
  calls.push(name);
  throw new MissingRowsError();
};

describe("rows that are loaded together", () => {
  it("are those of both functions, if the first one misses some", () => {
    const calls: string[] = [];
    expect(() => runBatched(miss("first", calls), miss("second", calls))).toThrow(MissingRowsError);
    expect(calls).toEqual(["first", "second"]);
    expect(
      runBatched(
        () => 1,
        () => 2,
      ),
    ).toEqual([1, 2]);
  });

  it("are not looked for once the first function has failed for another reason", () => {
    const calls: string[] = [];
    const fail = () => {
      throw new RangeError("refused");
    };
    expect(() => runBatched(fail, miss("second", calls))).toThrow(RangeError);
    expect(() => mapBatched([1, 2], (item) => (item === 1 ? fail() : miss("second", calls)()))).toThrow(
      RangeError,
    );
    expect(calls).toEqual([]);
  });

  it("are those of all items, in their order", () => {
    const calls: string[] = [];
    const work = (item: number) => (item % 2 === 0 ? miss(String(item), calls)() : item);
    expect(() => mapBatched([1, 2, 3, 4], work)).toThrow(MissingRowsError);
    expect(calls).toEqual(["2", "4"]);
    expect(mapBatched([1, 3], work)).toEqual([1, 3]);
    expect(mapBatched([], work)).toEqual([]);
  });
});

it("a window of the rate limit has the same key at any time, and a row its own", () => {
  const hit = { read: "hit", table: "rateWindows", id: "w", now: 1, length: 5, maxCount: 2 } as const;
  expect(buildPreloadKey({ ...hit, now: 9 })).toBe(buildPreloadKey(hit));
  expect(buildPreloadKey({ ...hit, id: "v" })).not.toBe(buildPreloadKey(hit));
  const row = { read: "row", table: "projects", id: "a" } as const;
  expect(buildPreloadKey({ ...row, table: "apps" })).not.toBe(buildPreloadKey(row));
});
