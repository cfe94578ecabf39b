import type { LoadResult, Preload } from "@mgmt/engine/internal";
import { type Columns, type Statement, statement } from "./batch.js";
import { Parameters, type ReadStatement, readsOf, uniteReads } from "./reads.js";
import type { RowCache } from "./row-cache.js";

/** The rows of each of the statements that were sent together. */
export type Results = readonly (readonly Columns[])[];

/** The statements that load rows, and a function that reads their results. */
export interface LoadPlan {
  readonly statements: readonly Statement[];
  /** Returns the result of each preload. */
  readonly rowsOf: (results: Results) => LoadResult[];
}

/** Where rows are loaded from. */
export interface RowSource {
  /** The name of the schema as an SQL identifier. */
  readonly identifier: string;
  readonly rows: RowCache;
}

export const commitStatement = statement("commit");

const beginReadStatement = statement("begin isolation level repeatable read read only");

/** Maximum number of reads in one statement, which limits how many different statements are prepared. */
const maxUnionParts = 8;

/** Returns the load of a transaction that only reads, which ends with the load. Its rows are from one snapshot. */
export const planReadOnlyLoad = (source: RowSource, preloads: readonly Preload[]): LoadPlan => {
  const countingReads = planCounting(source, preloads);
  const parameters = new Parameters();
  const reads = readsOf(source.identifier, preloads.filter(isRowRead), parameters);
  if (reads.length <= maxUnionParts) {
    const unionReads = reads.length === 0 ? [] : [uniteReads(reads, parameters)];
    return createLoadPlan(source, preloads, {
      statements: [...countingReads.statements, ...unionReads],
      parts: (results) => [
        ...countingReads.parts(results),
        ...splitReads(results[countingReads.statements.length] ?? [], reads),
      ],
    });
  }
  const separateReads = readsOf(source.identifier, preloads.filter(isRowRead));
  return createLoadPlan(source, preloads, {
    statements: [...countingReads.statements, beginReadStatement, ...separateReads, commitStatement],
    parts: (results) => [
      ...countingReads.parts(results),
      ...partitionResults(separateReads, results.slice(countingReads.statements.length + 1)),
    ],
  });
};

/** Returns a load of a transaction that also writes. The first load begins the transaction with the statements for that. */
export const planLoadInTransaction = (
  source: RowSource,
  preloads: readonly Preload[],
  beginning: readonly Statement[],
): LoadPlan => {
  const countingReads = planCounting(source, preloads);
  const reads = readsOf(source.identifier, preloads.filter(isRowRead));
  const before = [...countingReads.statements, ...beginning];
  return createLoadPlan(source, preloads, {
    statements: [...before, ...reads],
    parts: (results) => [
      ...countingReads.parts(results),
      ...partitionResults(reads, results.slice(before.length)),
    ],
  });
};

/** A read with the rows of its result. */
type Part = readonly [read: ReadStatement, rows: readonly Columns[]];

interface SentStatements {
  readonly statements: readonly Statement[];
  readonly parts: (results: Results) => Part[];
}

/** Counting a request takes effect at once, so it has its own transaction. */
const planCounting = ({ identifier }: RowSource, preloads: readonly Preload[]): SentStatements => {
  const hits = readsOf(identifier, preloads.filter(isRateLimitCount));
  return {
    statements: hits.length === 0 ? [] : [statement("begin"), ...hits, commitStatement],
    parts: (results) => partitionResults(hits, results.slice(1)),
  };
};

const createLoadPlan = (
  { rows }: RowSource,
  preloads: readonly Preload[],
  { statements, parts }: SentStatements,
): LoadPlan => ({
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

const partitionResults = (reads: readonly ReadStatement[], results: Results): Part[] =>
  reads.map((read, index) => [read, results[index] ?? []]);

/** Divides the rows of several reads, whose fourth column is the index of the read. */
const splitReads = (rows: readonly Columns[], reads: readonly ReadStatement[]): Part[] => {
  const parts = reads.map((read): [ReadStatement, Columns[]] => [read, []]);
  for (const row of rows) parts[Number(row[3])]?.[1].push(row);
  return parts;
};

export const isRateLimitCount = ({ read }: Preload): boolean => read === "hit";

const isRowRead = (preload: Preload): boolean => !isRateLimitCount(preload);
