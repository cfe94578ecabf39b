import type { LoadResult, Preload } from "@mgmt/engine/internal";
import { type Columns, type Statement, statement } from "./batch.js";
import { Parameters, type Read, readsOf, unionOf } from "./reads.js";
import type { RowCache } from "./row-cache.js";

/** The rows of each of the statements that were sent together. */
export type Results = readonly (readonly Columns[])[];

/** The statements that load rows, and a function that reads their results. */
export interface Load {
  readonly statements: readonly Statement[];
  /** Returns the result of each preload. */
  readonly rowsOf: (results: Results) => LoadResult[];
}

/** Where rows are loaded from. */
export interface Source {
  /** The name of the schema as an SQL identifier. */
  readonly identifier: string;
  readonly rows: RowCache;
}

export const commit = statement("commit");

const beginReading = statement("begin isolation level repeatable read read only");

/** Maximum number of reads in one statement, which limits how many different statements are prepared. */
const maxUnited = 8;

/** Returns the load of a transaction that only reads, which ends with the load. Its rows are from one snapshot. */
export const loadAlone = (source: Source, preloads: readonly Preload[]): Load => {
  const counting = countingOf(source, preloads);
  const parameters = new Parameters();
  const reads = readsOf(source.identifier, preloads.filter(isRow), parameters);
  if (reads.length <= maxUnited) {
    const united = reads.length === 0 ? [] : [unionOf(reads, parameters)];
    return loadOf(source, preloads, {
      statements: [...counting.statements, ...united],
      parts: (results) => [
        ...counting.parts(results),
        ...divide(results[counting.statements.length] ?? [], reads),
      ],
    });
  }
  const separate = readsOf(source.identifier, preloads.filter(isRow));
  return loadOf(source, preloads, {
    statements: [...counting.statements, beginReading, ...separate, commit],
    parts: (results) => [
      ...counting.parts(results),
      ...partsOf(separate, results.slice(counting.statements.length + 1)),
    ],
  });
};

/** Returns a load of a transaction that also writes. The first load begins the transaction with the statements for that. */
export const loadWithin = (
  source: Source,
  preloads: readonly Preload[],
  beginning: readonly Statement[],
): Load => {
  const counting = countingOf(source, preloads);
  const reads = readsOf(source.identifier, preloads.filter(isRow));
  const before = [...counting.statements, ...beginning];
  return loadOf(source, preloads, {
    statements: [...before, ...reads],
    parts: (results) => [...counting.parts(results), ...partsOf(reads, results.slice(before.length))],
  });
};

/** A read with the rows of its result. */
type Part = readonly [read: Read, rows: readonly Columns[]];

interface Sent {
  readonly statements: readonly Statement[];
  readonly parts: (results: Results) => Part[];
}

/** Counting a request takes effect at once, so it has its own transaction. */
const countingOf = ({ identifier }: Source, preloads: readonly Preload[]): Sent => {
  const hits = readsOf(identifier, preloads.filter(isHit));
  return {
    statements: hits.length === 0 ? [] : [statement("begin"), ...hits, commit],
    parts: (results) => partsOf(hits, results.slice(1)),
  };
};

const loadOf = ({ rows }: Source, preloads: readonly Preload[], { statements, parts }: Sent): Load => ({
  statements,
  rowsOf: (results) => {
    const rowsOf = new Map<Preload, LoadResult>();
    for (const [read, columns] of parts(results)) {
      const lists = read.rowsOf(columns, rows);
      read.preloads.forEach((preload, index) => rowsOf.set(preload, lists[index] ?? []));
    }
    return preloads.map((preload) => rowsOf.get(preload) ?? []);
  },
});

const partsOf = (reads: readonly Read[], results: Results): Part[] =>
  reads.map((read, index) => [read, results[index] ?? []]);

/** Divides the rows of several reads, whose fourth column is the index of the read. */
const divide = (rows: readonly Columns[], reads: readonly Read[]): Part[] => {
  const parts = reads.map((read): [Read, Columns[]] => [read, []]);
  for (const row of rows) parts[Number(row[3])]?.[1].push(row);
  return parts;
};

export const isHit = ({ read }: Preload): boolean => read === "hit";

const isRow = (preload: Preload): boolean => !isHit(preload);
