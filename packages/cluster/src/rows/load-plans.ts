import type { LoadResult, Preload } from "@mgmt/engine/internal";
import { type Columns, type Statement, createStatement } from "./batch.js";
import { StatementParameters, type ReadStatement, planReads, buildUnionStatement } from "./reads.js";
import type { RowCache } from "./row-cache.js";

/** The rows of each of the statements that were sent together. */
export type BatchResults = readonly (readonly Columns[])[];

/** The statements that load rows, and a function that reads their results. */
export interface LoadPlan {
  readonly statements: readonly Statement[];
  /** Returns the result of each preload. */
  readonly toLoadResults: (results: BatchResults) => LoadResult[];
}

/** Where rows are loaded from. */
export interface RowSource {
  /** The name of the schema as an SQL identifier. */
  readonly schemaIdentifier: string;
  readonly rowCache: RowCache;
}

/** Ends a transaction. */
export const commitStatement = createStatement("commit");

const beginReadStatement = createStatement("begin isolation level repeatable read read only");

/** Maximum number of reads in one statement, which limits how many different statements are prepared. */
const maxUnionParts = 8;

/** Returns the load of a transaction that only reads, which ends with the load. Its rows are from one snapshot. */
export const planReadOnlyLoad = (source: RowSource, preloads: readonly Preload[]): LoadPlan => {
  const countingPlan = planRateLimitCounts(source, preloads);
  const parameters = new StatementParameters();
  const reads = planReads(source.schemaIdentifier, preloads.filter(isRowRead), parameters);
  if (reads.length <= maxUnionParts) {
    const unionReads = reads.length === 0 ? [] : [buildUnionStatement(reads, parameters)];
    return createLoadPlan(source, preloads, {
      statements: [...countingPlan.statements, ...unionReads],
      splitResults: (results) => [
        ...countingPlan.splitResults(results),
        ...splitReads(results[countingPlan.statements.length] ?? [], reads),
      ],
    });
  }
  const separateReads = planReads(source.schemaIdentifier, preloads.filter(isRowRead));
  return createLoadPlan(source, preloads, {
    statements: [...countingPlan.statements, beginReadStatement, ...separateReads, commitStatement],
    splitResults: (results) => [
      ...countingPlan.splitResults(results),
      ...partitionResults(separateReads, results.slice(countingPlan.statements.length + 1)),
    ],
  });
};

/** Returns a load of a transaction that also writes. The first load begins the transaction with the statements for that. */
export const planLoadInTransaction = (
  source: RowSource,
  preloads: readonly Preload[],
  beginStatements: readonly Statement[],
): LoadPlan => {
  const countingPlan = planRateLimitCounts(source, preloads);
  const reads = planReads(source.schemaIdentifier, preloads.filter(isRowRead));
  const leadingStatements = [...countingPlan.statements, ...beginStatements];
  return createLoadPlan(source, preloads, {
    statements: [...leadingStatements, ...reads],
    splitResults: (results) => [
      ...countingPlan.splitResults(results),
      ...partitionResults(reads, results.slice(leadingStatements.length)),
    ],
  });
};

/** A read with the rows of its result. */
type ReadResult = readonly [read: ReadStatement, rows: readonly Columns[]];

interface ReadPlan {
  readonly statements: readonly Statement[];
  readonly splitResults: (results: BatchResults) => ReadResult[];
}

/** Counting a request takes effect at once, so it has its own transaction. */
const planRateLimitCounts = ({ schemaIdentifier }: RowSource, preloads: readonly Preload[]): ReadPlan => {
  const countingReads = planReads(schemaIdentifier, preloads.filter(isRateLimitCount));
  return {
    statements:
      countingReads.length === 0 ? [] : [createStatement("begin"), ...countingReads, commitStatement],
    splitResults: (results) => partitionResults(countingReads, results.slice(1)),
  };
};

const createLoadPlan = (
  { rowCache }: RowSource,
  preloads: readonly Preload[],
  { statements, splitResults }: ReadPlan,
): LoadPlan => ({
  statements,
  toLoadResults: (results) => {
    const resultsByPreload = new Map<Preload, LoadResult>();
    for (const [read, columns] of splitResults(results)) {
      const loadResults = read.toLoadResults(columns, rowCache);
      read.preloads.forEach((preload, index) => resultsByPreload.set(preload, loadResults[index] ?? []));
    }
    return preloads.map((preload) => resultsByPreload.get(preload) ?? []);
  },
});

const partitionResults = (reads: readonly ReadStatement[], results: BatchResults): ReadResult[] =>
  reads.map((read, index) => [read, results[index] ?? []]);

/** Divides the rows of several reads, whose fourth column is the index of the read. */
const splitReads = (rows: readonly Columns[], reads: readonly ReadStatement[]): ReadResult[] => {
  const readResults = reads.map((read): [ReadStatement, Columns[]] => [read, []]);
  for (const row of rows) readResults[Number(row[3])]?.[1].push(row);
  return readResults;
};

/** Returns whether a preload counts a request for the rate limit, which writes, unlike all others. */
export const isRateLimitCount = ({ read }: Preload): boolean => read === "hit";

const isRowRead = (preload: Preload): boolean => !isRateLimitCount(preload);
