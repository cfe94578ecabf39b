import type { Lookup, Preload } from "@mgmt/engine/internal";
import { describe, expect, it } from "vitest";
import { StatementParameters, planReads, buildUnionStatement } from "./reads.js";
import { RowCache } from "./row-cache.js";
import { RowCodec } from "./row-codec.js";
import { createTestKeys } from "../../test/rows/record-keys.js";

const createRowCache = (): RowCache => new RowCache(new RowCodec(createTestKeys()));
const range = (where: Lookup, more: object = {}): Preload => ({
  ...{ read: "range", table: "apps", where, after: null, limit: null, newestFirst: false },
  ...more,
});
const row = (id: string, table = "apps") => ({ read: "row", table, id }) as const;
const columnsOf = (id: string, projectId = "p"): (string | null)[] => [
  ...[String(id.charCodeAt(0)), "7", JSON.stringify({ id, createdAt: 0, projectId })],
];
const textOf = (...preloads: Preload[]): string =>
  planReads("s", preloads)
    .map(({ text }) => text)
    .join("; ");

describe("the reads of a load", () => {
  it("share a statement if they differ in one value only", () => {
    const preloads = [
      row("a"),
      range({ projectId: "p" }),
      row("b"),
      row("c", "databases"),
      range({ projectId: "q" }),
      range({ projectId: "p", branchId: null }),
    ];
    const reads = planReads("s", preloads);
    expect(reads.map((read) => read.preloads)).toEqual([
      [preloads[0], preloads[2]],
      [preloads[1], preloads[4]],
      [preloads[3]],
      [preloads[5]],
    ]);
    expect(reads[0]?.values).toEqual(['{"a","b"}']);
    const ids = (results: readonly unknown[]) =>
      results.map((rows) => (rows as { row: { id: string } }[]).map(({ row }) => row.id));
    expect(ids(reads[0]?.toLoadResults([columnsOf("b")], createRowCache()) ?? [])).toEqual([[], ["b"]]);
    const results = [columnsOf("b", "q"), columnsOf("a"), columnsOf("c", "q")];
    expect(ids(reads[1]?.toLoadResults(results, createRowCache()) ?? [])).toEqual([["a"], ["b", "c"]]);
  });

  it.each([
    [{ after: 5 }, "seq > $2::bigint order by seq"],
    [{ after: 5, newestFirst: true }, "seq < $2::bigint order by seq desc"],
    [{ newestFirst: true }, "order by seq desc"],
    [{ limit: 3 }, "order by seq limit $2::bigint"],
    [{ containing: { name: "x'" } }, "strpos(doc->>'name', $2::text) > 0 order by seq"],
  ])("are alone with %j", (more, condition) => {
    const preloads = [range({ projectId: "p" }, more), range({ projectId: "q" }, more)];
    const reads = planReads("s", preloads);
    expect(reads).toHaveLength(2);
    expect(reads[0]?.text).toContain(condition);
  });

  it.each([
    [{}, "where true order"],
    [{ branchId: null }, "is null)"],
    [{ branchId: ["a", null] }, "= $1::text or "],
    [{ branchId: [] }, "where false order"],
    [{ branchId: undefined }, "where true order"],
    [{ isDefault: false }, "= $1::text)"],
    [{ memberIds: "u" }, "?| $1::text[]"],
  ])("compare %j", (where, condition) => {
    expect(textOf(range(where as Lookup, { limit: 1 }))).toContain(condition);
  });

  it("put no text of a caller into a statement", () => {
    const text = "x'; drop table apps; --";
    const preloads: Preload[] = [
      ...[row(text), range({ projectId: text }), range({ projectId: "p" }, { containing: { name: text } })],
      { read: "referenced", table: "projects", by: { table: "databases", id: text, field: "projectId" } },
      { read: "count", table: "apps", where: { projectId: text } },
      { read: "hit", table: "rateWindows", id: text, now: 1, length: 5, maxCount: 2 },
    ];
    expect(textOf(...preloads)).not.toContain("drop");
  });

  it("return a number for a count, also if there is none", () => {
    const [read] = planReads("s", [{ read: "count", table: "apps", where: {} }]);
    expect(read?.toLoadResults([["12", null, null]], createRowCache())).toEqual([12]);
  });

  it("are one statement with the parameters of all, whose rows tell their read", () => {
    const parameters = new StatementParameters();
    const reads = planReads("s", [row("a"), row("b", "databases")], parameters);
    const { text, values } = buildUnionStatement(reads, parameters);
    expect(values).toEqual(["a", "b"]);
    expect(text.match(/\d as read|\$\d/g)).toEqual(["0 as read", "$1", "1 as read", "$2"]);
  });

  it.each([NaN, Infinity])("cannot compare the number %d", (number) => {
    expect(() => new StatementParameters().addNumber(number)).toThrow("cannot be compared");
  });
});
