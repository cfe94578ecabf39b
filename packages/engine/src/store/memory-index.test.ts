import { describe, expect, it } from "vitest";
import { ExpiryIndex, KeyIndex, type EntryGroup, type RowEntry } from "./memory-index.js";
import { SortedList } from "./sorted-list.js";

interface TestRow {
  readonly id: string;
  readonly createdAt: number;
  readonly a: string | null | readonly string[];
  readonly b: string | boolean | null;
  readonly expiresAt: number | null;
}

let sequence = 0;
const entryOf = (row: Partial<TestRow>): RowEntry<TestRow> => {
  sequence += 1;
  return {
    sequence,
    row: { id: `row${String(sequence)}`, createdAt: 0, a: null, b: null, expiresAt: null, ...row },
  };
};
const idsOf = (groups: EntryGroup<TestRow>[]): string[] =>
  groups
    .flatMap((group) => (group instanceof SortedList ? group.toArray() : [group]))
    .map(({ row }) => row.id);

describe("an index of fields", () => {
  it.each<[Partial<TestRow>, Partial<TestRow>]>([
    [
      { a: "1:", b: "x" },
      { a: "1", b: ":x" },
    ],
    [
      { a: "null", b: "x" },
      { a: null, b: "x" },
    ],
    [
      { a: "", b: "a" },
      { a: "a", b: "" },
    ],
    [
      { a: "a", b: "true" },
      { a: "a", b: true },
    ],
    [
      { a: "a", b: null },
      { a: "a", b: "null;" },
    ],
  ])("tells %j from %j", (left, right) => {
    const index = new KeyIndex<TestRow>(["a", "b"]);
    const [one, other] = [entryOf(left), entryOf(right)];
    for (const entry of [one, other]) index.add(entry);
    expect(idsOf(index.findGroups(left))).toEqual([one.row.id]);
    expect(idsOf(index.findGroups(right))).toEqual([other.row.id]);
  });

  it("has the entries of a key, oldest first, until they are removed", () => {
    const index = new KeyIndex<TestRow>(["a"]);
    const entries = [entryOf({ a: "x" }), entryOf({ a: "x" }), entryOf({ a: "y" })];
    for (const entry of entries.toReversed()) index.add(entry);
    const [first, second, other] = entries.map(({ row }) => row.id);
    expect(idsOf(index.findGroups({ a: "x" }))).toEqual([first, second]);
    expect(idsOf(index.findGroups({ a: ["y", "x", "y"] }))).toEqual([other, first, second]);
    for (const [position, rest] of [
      [0, [second]],
      [1, []],
    ] as const) {
      index.remove(entries[position] ?? entryOf({}));
      expect(idsOf(index.findGroups({ a: "x" }))).toEqual(rest);
    }
    expect(index.findGroups({ a: "x" })).toEqual([]);
    index.remove(entryOf({ a: "y" }));
    expect(idsOf(index.findGroups({ a: "y" }))).toEqual([other]);
  });

  it("has a row once for each item of an array", () => {
    const index = new KeyIndex<TestRow>(["a", "b"]);
    const entry = entryOf({ a: ["x", "y", "x"], b: "z" });
    index.add(entry);
    for (const a of ["x", "y"]) expect(idsOf(index.findGroups({ a, b: "z" }))).toEqual([entry.row.id]);
    index.remove(entry);
    expect(index.findGroups({ a: ["x", "y"], b: "z" })).toEqual([]);
  });

  it.each([
    [{ a: "x" }, { a: "x" }, false],
    [{ a: "x" }, { a: null }, true],
    [{ a: ["x", "y"] }, { a: ["x", "y"] }, false],
    [{ a: ["x", "y"] }, { a: ["x"] }, true],
    [{ a: ["x", "y"] }, { a: ["y", "x"] }, true],
    [{ b: "x" }, { b: "y" }, false],
  ])("notices a change from %j to %j: %s", (before, after, hasMoved) => {
    const [{ row: rowBefore }, { row: rowAfter }] = [entryOf(before), entryOf(after)];
    expect(new KeyIndex<TestRow>(["a"]).hasMoved(rowBefore, rowAfter)).toBe(hasMoved);
  });
});

describe("an index of times", () => {
  it("has the rows that have expired, the earliest first, up to a limit", () => {
    const index = new ExpiryIndex<TestRow>();
    const entries = [30, null, 10, 20, 20].map((expiresAt) => entryOf({ expiresAt }));
    for (const entry of entries.toReversed()) index.add(entry);
    const expired = (time: number, limit = Infinity) =>
      index.listExpired(time, limit).map(({ expiresAt }) => expiresAt);
    expect([expired(9), expired(10), expired(29), expired(99)]).toEqual([
      [],
      [10],
      [10, 20, 20],
      [10, 20, 20, 30],
    ]);
    expect(index.listExpired(99, 2).map(({ id }) => id)).toEqual([entries[2]?.row.id, entries[3]?.row.id]);
    for (const entry of entries) index.remove(entry);
    expect(expired(99)).toEqual([]);
  });
});
