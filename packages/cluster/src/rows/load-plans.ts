import type { LoadResult, Preload } from "@mgmt/engine/internal";
import { type RowValues, type Statement, createStatement } from "./batch.js";
import { StatementParameters, type ReadStatement, planReads, buildUnionStatement } from "./reads.js";
import type { RowCache } from "./row-cache.js";

/** The rows of each of the statements that were sent together. */
export type BatchResults = readonly (readonly RowValues[])[];

/** The statements that load rows, and a function that reads their results. */
export interface LoadPlan {
  readonly statements: readonly Statement[];
  /** Returns the result of each preload. */
  readonly toLoadResults: (results: BatchResults) => LoadResult[];
}

/** The schema that rows are loaded from, and the cache of the rows that this process has loaded. */
export interface RowSource {
  /** The name of the schema as an SQL identifier. */
  readonly schemaIdentifier: string;
  readonly rowCache: RowCache;
}

/** Completes a transaction. */
export const commitStatement = createStatement("commit");

const beginReadSql = "begin isolation level repeatable read read only";

/** Maximum number of reads in one statement, which limits how many different statements are prepared. */
const maxUnionParts = 8;

/** Returns the load of a transaction that only reads, which ends with the load. Its rows are from one snapshot. */
export const planReadOnlyLoad = (source: RowSource, preloads: readonly Preload[]): LoadPlan => {
  const counting = planRateLimitCounts(source, preloads);
  const reading = planRowReads(source, preloads);
  // Statements that are sent together are one transaction. Several reads need another one, with one snapshot.
  return reading.statements.length <= 1
    ? createLoadPlan(source, preloads, [counting, reading])
    : createLoadPlan(source, preloads, [
        wrapInTransaction(counting, "begin"),
        wrapInTransaction(reading, beginReadSql),
      ]);
};

/** Returns a load of a transaction that also writes. The first load begins the transaction with the statements for that. */
export const planLoadInTransaction = (
  source: RowSource,
  preloads: readonly Preload[],
  beginStatements: readonly Statement[],
): LoadPlan =>
  createLoadPlan(source, preloads, [
    // Counting a request takes effect immediately, so it has its own transaction.
    wrapInTransaction(planRateLimitCounts(source, preloads), "begin"),
    { statements: beginStatements, splitResults: () => [] },
    planRowReads(source, preloads),
  ]);

/** A read with the rows of its result. */
type ReadResult = readonly [read: ReadStatement, rows: readonly RowValues[]];

interface ReadPlan {
  readonly statements: readonly Statement[];
  readonly splitResults: (results: BatchResults) => ReadResult[];
}

const planRateLimitCounts = ({ schemaIdentifier }: RowSource, preloads: readonly Preload[]): ReadPlan => {
  const countingReads = planReads(schemaIdentifier, preloads.filter(isRateLimitCount));
  return {
    statements: countingReads,
    splitResults: (results) => partitionResults(countingReads, results),
  };
};

/** Returns one statement for all rows, unless it would be too long. */
const planRowReads = ({ schemaIdentifier }: RowSource, preloads: readonly Preload[]): ReadPlan => {
  const rowPreloads = preloads.filter(isRowRead);
  const parameters = new StatementParameters();
  const reads = planReads(schemaIdentifier, rowPreloads, parameters);
  if (reads.length > 0 && reads.length <= maxUnionParts)
    return {
      statements: [buildUnionStatement(reads, parameters)],
      splitResults: ([rows = []]) => splitReads(rows, reads),
    };
  const separateReads = planReads(schemaIdentifier, rowPreloads);
  return {
    statements: separateReads,
    splitResults: (results) => partitionResults(separateReads, results),
  };
};

const wrapInTransaction = ({ statements, splitResults }: ReadPlan, beginSql: string): ReadPlan =>
  statements.length === 0
    ? { statements, splitResults }
    : {
        statements: [createStatement(beginSql), ...statements, commitStatement],
        splitResults: (results) => splitResults(results.slice(1, -1)),
      };

const createLoadPlan = (
  { rowCache }: RowSource,
  preloads: readonly Preload[],
  plans: readonly ReadPlan[],
): LoadPlan => ({
  statements: plans.flatMap(({ statements }) => statements),
  toLoadResults: (results) => {
    const resultsByPreload = new Map<Preload, LoadResult>();
    let position = 0;
    for (const { statements, splitResults } of plans) {
      const resultsOfPlan = results.slice(position, position + statements.length);
      position += statements.length;
      for (const [read, columns] of splitResults(resultsOfPlan)) {
        const loadResults = read.toLoadResults(columns, rowCache);
        read.preloads.forEach((preload, index) => resultsByPreload.set(preload, loadResults[index] ?? []));
      }
    }
    return preloads.map((preload) => resultsByPreload.get(preload) ?? []);
  },
});

const partitionResults = (reads: readonly ReadStatement[], results: BatchResults): ReadResult[] =>
  reads.map((read, index) => [read, results[index] ?? []]);

/** Divides the rows of several reads, whose fourth column is the index of the read. */
const splitReads = (rows: readonly RowValues[], reads: readonly ReadStatement[]): ReadResult[] => {
  const readResults = reads.map((read): [ReadStatement, RowValues[]] => [read, []]);
  for (const row of rows) readResults[Number(row[3])]?.[1].push(row);
  return readResults;
};

/** Returns whether a preload counts a request for the rate limit, which writes, unlike all others. */
export const isRateLimitCount = ({ read }: Preload): boolean => read === "hit";

const isRowRead = (preload: Preload): boolean => !isRateLimitCount(preload);
