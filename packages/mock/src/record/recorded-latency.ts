import type { Recording } from "./recording.js";

/** Returns the median of the recorded latencies of each operation, in milliseconds. */
export const medianLatencies = ({ exchanges }: Recording): Map<string, number> => {
  const byOperation = new Map<string, number[]>();
  for (const { operationId, latency } of exchanges) {
    byOperation.set(operationId, [...(byOperation.get(operationId) ?? []), latency]);
  }
  return new Map([...byOperation].map(([operationId, latencies]) => [operationId, median(latencies)]));
};

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
};
