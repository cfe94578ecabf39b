import { describe, expect, it } from "vitest";
import { RecentMap } from "./recent-map.js";

const createMap = (keys: readonly number[]): RecentMap<number, string> => {
  const map = new RecentMap<number, string>(2);
  for (const key of keys) map.set(key, String(key));
  return map;
};

const listKeys = (map: RecentMap<number, string>): number[] =>
  [1, 2, 3, 4, 5].filter((key) => map.get(key) !== undefined);

describe("a map of recent entries", () => {
  it.each([
    { keys: [1, 2], expected: [1, 2] },
    { keys: [1, 2, 3], expected: [1, 2, 3] },
    { keys: [1, 2, 3, 4, 5], expected: [3, 4, 5] },
    { keys: [1, 2, 2, 1], expected: [1, 2] },
  ])("contains $expected after $keys", ({ keys, expected }) => {
    expect(listKeys(createMap(keys))).toEqual(expected);
  });

  it("keeps an older entry that is read", () => {
    const map = createMap([1, 2, 3]);
    expect(map.get(1)).toBe("1");
    map.set(4, "4");
    expect(map.get(1)).toBe("1");
    expect(map.get(2)).toBeUndefined();
  });

  it("returns the value that was set last", () => {
    const map = createMap([1, 2, 3]);
    map.set(1, "new");
    expect(map.get(1)).toBe("new");
  });

  it("is empty after it is cleared", () => {
    const map = createMap([1, 2, 3]);
    map.clear();
    expect(listKeys(map)).toEqual([]);
  });
});
