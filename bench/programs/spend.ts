import type { Spent } from "./calls.js";
import { processorTime } from "./processor-time.js";

/** Repeats work sequentially, and returns what it cost each time, as the mean. */
export const spend = async (times: number, work: () => unknown): Promise<Spent> => {
  const started = performance.now();
  const processor = processorTime();
  for (let count = 0; count < times; count += 1) await work();
  return {
    microseconds: ((performance.now() - started) / times) * 1e3,
    processorMicroseconds: ((processorTime() - processor) / times) * 1e6,
  };
};
