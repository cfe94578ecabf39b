import type { Timers } from "@mgmt/sdk";
import { waitForRealTurn } from "#platform";

interface VirtualTimer {
  readonly dueAt: number;
  readonly callback: () => void;
  /** Whether a client does nothing until the timer is due. */
  readonly isPause: boolean;
}

/**
 * Timers by which the clients of a mock pass time instead of waiting. Time passes when the mock's clock is moved. When no request is in
 * progress and a client pauses, they move the clock themselves. Real time does not count, nor do fake timers.
 */
export class VirtualTimers implements Timers {
  readonly #timers = new Set<VirtualTimer>();
  readonly #advanceClock: (milliseconds: number) => Promise<void>;
  #now = 0;
  #runningRequestCount = 0;
  #isAdvancing = false;

  /** @param advanceClock moves the clock, and then calls `advance`. */
  constructor(advanceClock: (milliseconds: number) => Promise<void>) {
    this.#advanceClock = advanceClock;
  }

  readonly performance = { now: (): number => this.#now };

  setTimeout(callback: () => void, ms: number): unknown {
    return this.#addTimer(callback, ms, false);
  }

  setPause(callback: () => void, ms: number): unknown {
    const timer = this.#addTimer(callback, ms, true);
    void this.#advanceThroughPauses();
    return timer;
  }

  clearTimeout(timer: unknown): void {
    for (const candidate of this.#timers) if (candidate === timer) this.#timers.delete(candidate);
  }

  /** Lets time pass, and calls the timers that fall due on the way in the order of their times. */
  advance(milliseconds: number): void {
    const endTime = this.#now + milliseconds;
    for (
      let nextTimer = this.#findEarliestTimer();
      nextTimer && nextTimer.dueAt <= endTime;
      nextTimer = this.#findEarliestTimer()
    ) {
      this.#now = Math.max(this.#now, nextTimer.dueAt);
      this.#timers.delete(nextTimer);
      nextTimer.callback();
    }
    this.#now = endTime;
  }

  /** Runs a request, during which the clients move no clock. `pause` is a part of it that only waits. */
  async runRequest<T>(
    request: (pause: (ms: number, signal: AbortSignal) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    this.#runningRequestCount += 1;
    try {
      return await request(async (ms, signal) => {
        this.#runningRequestCount -= 1;
        try {
          await this.#pause(ms, signal);
        } finally {
          this.#runningRequestCount += 1;
        }
      });
    } finally {
      this.#runningRequestCount -= 1;
      void this.#advanceThroughPauses();
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finishPause = (): void => {
        this.clearTimeout(timer);
        signal.removeEventListener("abort", finishPause);
        resolve();
      };
      const timer = this.setPause(finishPause, ms);
      if (signal.aborted) finishPause();
      else signal.addEventListener("abort", finishPause);
    });
  }

  #addTimer(callback: () => void, ms: number, isPause: boolean): VirtualTimer {
    // The times of the mock's clock are whole milliseconds.
    const timer = { callback, dueAt: this.#now + Math.ceil(ms), isPause };
    this.#timers.add(timer);
    return timer;
  }

  #findEarliestTimer(): VirtualTimer | undefined {
    let earliestTimer: VirtualTimer | undefined;
    for (const timer of this.#timers)
      if (earliestTimer === undefined || timer.dueAt < earliestTimer.dueAt) earliestTimer = timer;
    return earliestTimer;
  }

  /** Moves the clock from timer to timer while clients pause. */
  async #advanceThroughPauses(): Promise<void> {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      for (;;) {
        // Code that a timer or a response starts may send a request.
        await waitForRealTurn();
        const nextTimer = this.#findEarliestTimer();
        const isOnlyPausing =
          this.#runningRequestCount === 0 && [...this.#timers].some(({ isPause }) => isPause);
        if (!nextTimer || !isOnlyPausing) return;
        await this.#advanceClock(Math.max(0, nextTimer.dueAt - this.#now));
      }
    } finally {
      this.#isAdvancing = false;
    }
  }
}
