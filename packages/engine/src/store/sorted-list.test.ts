import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedList } from "./sorted-list.js";

const ascending = (left: number, right: number): number => left - right;

const listOf = (items: readonly number[]): SortedList<number> => {
  const list = new SortedList(ascending);
  for (const item of items) list.add(item);
  return list;
};

/** Enough items for many buckets, in an order that splits, empties and merges them. */
const manyItems = fc
  .record({ count: fc.integer({ min: 0, max: 3_000 }), stride: fc.constantFrom(1, 7, 1_009, -1) })
  .map(({ count, stride }) =>
    Array.from({ length: count }, (_, index) => (stride < 0 ? count - index : (index * stride) % 3_001)),
  );

describe("a sorted list", () => {
  it("orders items, however they are added and removed", () => {
    fc.assert(
      fc.property(manyItems, fc.integer({ min: 1, max: 9 }), fc.nat(9), (items, every, rest) => {
        const list = listOf(items);
        const sorted = [...items].sort(ascending);
        expect([list.size, list.first, list.toArray()]).toEqual([items.length, sorted[0], sorted]);
        for (const item of items) if (item % every === rest) expect(list.remove(item)).toBe(true);
        const left = sorted.filter((item) => item % every !== rest);
        expect([list.size, list.first, list.toArray()]).toEqual([left.length, left[0], left]);
        for (const item of items) if (item % every === rest) list.add(item);
        expect(list.toArray()).toEqual(sorted);
      }),
      { numRuns: 60 },
    );
  });

  it("yields the items from a place on, forward and backward", () => {
    fc.assert(
      fc.property(manyItems, fc.integer({ min: -1, max: 3_002 }), (items, start) => {
        const list = listOf(items);
        const reached = (item: number): boolean => item > start;
        const sorted = [...items].sort(ascending);
        expect([...list.iterateFrom(reached)]).toEqual(sorted.filter(reached));
        expect([...list.iterateBackFrom(reached)]).toEqual(sorted.filter((item) => !reached(item)).reverse());
      }),
      { numRuns: 100 },
    );
  });

  it("ignores the removal of an item that it does not contain", () => {
    const list = new SortedList<{ at: number }>((left, right) => left.at - right.at);
    const item = { at: 1 };
    expect(list.remove(item)).toBe(false);
    list.add(item);
    expect([list.remove({ at: 1 }), list.remove({ at: 0 }), list.remove({ at: 2 })]).toEqual([
      false,
      false,
      false,
    ]);
    expect([list.size, list.first]).toEqual([1, item]);
  });

  it("is empty again when everything is removed", () => {
    const items = Array.from({ length: 2_000 }, (_, index) => index);
    const list = listOf(items);
    for (const item of items.toReversed()) list.remove(item);
    expect([list.size, list.first, list.toArray(), [...list.iterateFrom(() => true)]]).toEqual([
      0,
      undefined,
      [],
      [],
    ]);
    list.add(5);
    expect(list.toArray()).toEqual([5]);
  });
});
