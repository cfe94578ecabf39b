import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { kill } from "node:process";
import { eventually } from "../violation.js";
import { type Judgment, judge, megabytes } from "./memory.js";

/** Collects the garbage of a process, and measures what it uses afterwards. */
export class CollectedMemory {
  readonly #file: string;
  readonly #heaps: number[] = [];

  /** @param directory where the process writes its measurements. */
  constructor(directory: string) {
    this.#file = join(directory, "memory.json");
  }

  /** Variables of the process. */
  get environment(): Record<string, string> {
    const preload = new URL("collect-garbage.mjs", import.meta.url).href;
    return { NODE_OPTIONS: `--import=${preload}`, MEMORY_FILE: this.#file };
  }

  /** Returns what the process uses after a garbage collection, as text. */
  async measure(pid: number): Promise<string> {
    kill(pid, "SIGUSR2");
    let usage: NodeJS.MemoryUsage | undefined;
    await eventually("The garbage is not collected", async () => {
      // The file is written under another name first.
      usage = JSON.parse(await readFile(this.#file, "utf8"));
      return undefined;
    });
    await rm(this.#file);
    const { heapUsed = Number.NaN, external = Number.NaN, rss = Number.NaN } = usage ?? {};
    this.#heaps.push(heapUsed);
    return `heap ${megabytes(heapUsed)}, external ${megabytes(external)}, resident ${megabytes(rss)}`;
  }

  /** Judges the heap after the collections. */
  judge(): Judgment {
    return judge(this.#heaps);
  }
}
