import { setTimeout as sleep } from "node:timers/promises";
import { machineTime } from "./machine-time.js";
import type { MgmtDev } from "./mgmt-dev.js";
import { Violation } from "./violation.js";

/** The longest time from a kill to the next good response, in milliseconds of `machineTime`. */
const limit = 15_000;
const interval = 50;

/** Measures how long the API is away after each kill. */
export class Away {
  readonly #dev: MgmtDev;
  /** Real times, which a busy machine lengthens. */
  readonly #times: { after: string; round: number; time: number }[] = [];
  #pending: { after: string; round: number; since: number; deadline: number } | undefined;

  constructor(dev: MgmtDev) {
    this.#dev = dev;
  }

  /** Starts to measure. A kill while the API is away starts it anew. */
  killed(after: string, round: number): void {
    this.#pending = { after, round, since: performance.now(), deadline: machineTime() + limit };
  }

  get isAway(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Calls the API until the signal is aborted.
   *
   * @throws Violation when it is away too long after a kill.
   */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const begun = performance.now();
      const isGood = await this.#isGood();
      const pending = this.#pending;
      // The response to a request that was sent before the kill proves nothing.
      if (pending !== undefined && pending.since <= begun) {
        const { after, round, since, deadline } = pending;
        const time = performance.now() - since;
        if (machineTime() > deadline) {
          throw new Violation(`After ${after}, the API was away for ${seconds(time)}`);
        }
        if (isGood) {
          this.#pending = undefined;
          this.#times.push({ after, round, time });
        }
      }
      await sleep(interval);
    }
  }

  async #isGood(): Promise<boolean> {
    try {
      const { status } = await this.#dev.call(this.#dev.tokens[0], "GET", "/v1/projects?limit=1");
      return status === 200;
    } catch (error) {
      if (error instanceof Violation) throw error;
      return false;
    }
  }

  report(): string {
    const sorted = this.#times.map(({ time }) => time).sort((a, b) => a - b);
    const at = (share: number): string => seconds(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const long = this.#times.filter(({ time }) => time > limit);
    return [
      `The API was away after ${String(sorted.length)} kills: min ${at(0)}, median ${at(0.5)}, max ${at(1)}`,
      ...long.map(({ after, time, round }) => `  round ${String(round)}, ${after}: ${seconds(time)}`),
    ].join("\n");
  }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
