import { readFileSync } from "node:fs";

/** Reads how much memory a process uses, in bytes (Linux). Returns undefined when it has ended. */
const memoryOf = (pid: number): number | undefined => {
  try {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"));
    return line ? Number(line[1]) * 1024 : undefined;
  } catch {
    return undefined;
  }
};

const interval = 1_000;
/** Growth that garbage collection at different times explains. */
const maxGrowth = 1.3;

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

export interface Judgment {
  /** The medians of the four quarters of the time. */
  quarters: number[];
  /** Whether the memory kept growing. */
  grew: boolean;
}

export const judge = (samples: readonly number[]): Judgment => {
  const start = (quarter: number): number => Math.floor((quarter * samples.length) / 4);
  const quarters = [0, 1, 2, 3].map((quarter) => median(samples.slice(start(quarter), start(quarter + 1))));
  const [, second = Number.NaN, , last = Number.NaN] = quarters;
  return { quarters, grew: last > second * maxGrowth };
};

/** Watches how much memory a process uses. */
export class MemoryWatch {
  readonly #samples: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      const memory = memoryOf(pid);
      if (memory !== undefined) this.#samples.push(memory);
    }, interval);
  }

  get latest(): number {
    return this.#samples.at(-1) ?? Number.NaN;
  }

  judge(): Judgment {
    return judge(this.#samples);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
