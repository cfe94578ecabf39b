import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OperationParity, ParityDifference, Recording } from "@mgmt/mock";

/** How an operation of the reference server compares with a recording. */
export interface RecordedOperation {
  /** Number of requests that were compared. */
  readonly compared: number;
  readonly differences: readonly Omit<ParityDifference, "request">[];
}

/** The latest comparison with a service. It contains no ids and no data of the service. */
export interface RecordedParity {
  /** Origin of the service. */
  readonly upstream: string;
  readonly recordedAt: string;
  readonly operations: Readonly<Record<string, RecordedOperation>>;
}

/** The file of the latest comparison, relative to the repository. */
export const recordedFile = "openapi/recorded.json";

/** Returns the latest comparison, or undefined if there is none. */
export const readRecordedParity = (root: string): RecordedParity | undefined => {
  const path = join(root, recordedFile);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
};

/** Summarizes a comparison. The same difference in several requests counts once. */
export const summarize = (
  { upstream, recordedAt }: Pick<Recording, "upstream" | "recordedAt">,
  report: readonly OperationParity[],
): RecordedParity => ({
  upstream,
  recordedAt,
  operations: Object.fromEntries(
    report
      .filter(({ compared }) => compared > 0)
      .map(({ operationId, compared, differences }) => [
        operationId,
        { compared, differences: distinct(differences.map(({ request: _, ...difference }) => difference)) },
      ]),
  ),
});

const distinct = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];
