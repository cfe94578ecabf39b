import { describe, expect, it } from "vitest";
import { type LoadedRow, MissingRowsError, type Preload } from "./preload.js";
import { WorkingSet } from "./working-set.js";

const loaded = (id: string): LoadedRow => ({ sequence: 1, version: "1", row: { id, createdAt: 0 } });
const range = {
  read: "range",
  table: "apps",
  where: { projectId: "p" },
  after: null,
  limit: null,
  newestFirst: false,
} as const;

describe("the rows that a transaction has loaded", () => {
  it("include those of ranges, and know which ids no row has", () => {
    const rows = new WorkingSet();
    const preloads: Preload[] = [range, { read: "row", table: "apps", id: "none" }];
    rows.add(preloads, [[loaded("a")], []]);
    expect(rows.getRow("apps", "a")).toEqual(loaded("a"));
    expect(rows.getRow("apps", "none")).toBeUndefined();
    expect(rows.getRange(range)).toEqual([loaded("a")]);
    expect(rows.getRowIfLoaded("apps", "b")).toBeUndefined();
    expect(rows.consumeMissedPreloads()).toEqual([]);
  });

  it("are asked for once each, even if the error is caught", () => {
    const rows = new WorkingSet();
    for (let run = 0; run < 2; run += 1) {
      expect(() => rows.getRow("apps", "a")).toThrow(MissingRowsError);
      expect(() => rows.getRow("databases", "a")).toThrow(MissingRowsError);
      expect(() => rows.getRange(range)).toThrow(MissingRowsError);
      expect(() => rows.getCount("apps", {})).toThrow(MissingRowsError);
    }
    expect(rows.consumeMissedPreloads()).toEqual([
      { read: "row", table: "apps", id: "a" },
      { read: "row", table: "databases", id: "a" },
      range,
      { read: "count", table: "apps", where: {} },
    ]);
    expect(rows.consumeMissedPreloads()).toEqual([]);
  });

  it("include none for an id that the callback has just generated", () => {
    const rows = new WorkingSet();
    rows.addNewId("p");
    expect(rows.getRow("projects", "p")).toBeUndefined();
    expect(rows.getRange(range)).toEqual([]);
    expect(rows.getCount("apps", { projectId: "p" })).toBe(0);
    expect(() => rows.getCount("apps", { projectId: "other" })).toThrow(MissingRowsError);
    expect(() => rows.getCount("apps", { projectId: ["p"] })).toThrow(MissingRowsError);
  });

  it("get the sequence numbers of earlier insertions with those of later ones", () => {
    const rows = new WorkingSet();
    rows.add([{ read: "sequence", table: "apps", index: 0 }], [7]);
    expect([rows.getSequence("apps", 0), rows.getSequenceIfLoaded("apps", 0)]).toEqual([7, 7]);
    expect(rows.getSequenceIfLoaded("apps", 1)).toBeUndefined();
    expect(() => rows.getSequence("apps", 2)).toThrow(MissingRowsError);
    expect(rows.consumeMissedPreloads()).toEqual(
      [1, 2].map((index) => ({ read: "sequence", table: "apps", index })),
    );
  });

  it("are not added without a result", () => {
    expect(() => new WorkingSet().add([range], [])).toThrow('Nothing was loaded for {"read":"range"');
  });
});
