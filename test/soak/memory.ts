import { readFileSync } from "node:fs";

/** Reads how much memory a process uses, in bytes (Linux). */
const memoryOf = (pid: number): number => {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"));
  return Number(line?.[1]) * 1024;
};

const interval = 1_000;
/** Growth that garbage collection at different times explains. */
const maxGrowth = 1.3;

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** Watches how much memory a process uses. */
export class MemoryWatch {
  readonly #samples: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => this.#samples.push(memoryOf(pid)), interval);
  }

  get latest(): number {
    return this.#samples.at(-1) ?? Number.NaN;
  }

  /** Ends the watch. Returns the medians of the four quarters of the time, and whether the memory kept growing. */
  end(): { quarters: number[]; grew: boolean } {
    clearInterval(this.#timer);
    const length = Math.ceil(this.#samples.length / 4);
    const quarters = [0, 1, 2, 3].map((index) =>
      median(this.#samples.slice(index * length, (index + 1) * length)),
    );
    const [, second = Number.NaN, , last = Number.NaN] = quarters;
    return { quarters, grew: last > second * maxGrowth };
  }
}
