import { setTimeout as sleep } from "node:timers/promises";
import type { MgmtDev } from "./mgmt-dev.js";
import { Violation, machineTime } from "./violation.js";

/** The longest time from a fault to the next good response, in milliseconds of `machineTime`. */
const limit = 15_000;

/** Checks that the API is not away for long after a fault. */
export class Outage {
  #pending: { after: string; since: number; deadline: number } | undefined;

  constructor(private readonly dev: MgmtDev) {}

  /** Expects the API to return. A fault while it is away gives it the whole time again. */
  begin(after: string): void {
    this.#pending = { after, since: performance.now(), deadline: machineTime() + limit };
  }

  get isOver(): boolean {
    return this.#pending === undefined;
  }

  /** Calls the API until the signal is aborted. */
  async watch(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await sleep(50)) {
      const sentAt = performance.now();
      const isGood = await this.dev.call(this.dev.tokens[0], "GET", "/v1/projects?limit=1").then(
        ({ status }) => status === 200,
        (error: unknown) => {
          if (error instanceof Violation) throw error;
          return false;
        },
      );
      const pending = this.#pending;
      // The response to a request that was sent before the fault proves nothing.
      if (pending === undefined || pending.since > sentAt) continue;
      if (machineTime() > pending.deadline)
        throw new Violation(`After ${pending.after}, the API was away for more than ${String(limit)} ms`);
      if (isGood) this.#pending = undefined;
    }
  }
}
