import type { Timers } from "@mgmt/sdk";
import { realTurn } from "#platform";

interface Timer {
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
  readonly #timers = new Set<Timer>();
  readonly #move: (milliseconds: number) => Promise<void>;
  #now = 0;
  #requests = 0;
  #isMoving = false;

  /** @param move moves the clock, and then calls `pass`. */
  constructor(move: (milliseconds: number) => Promise<void>) {
    this.#move = move;
  }

  readonly performance = { now: (): number => this.#now };

  setTimeout(callback: () => void, ms: number): unknown {
    return this.#add(callback, ms, false);
  }

  setPause(callback: () => void, ms: number): unknown {
    const timer = this.#add(callback, ms, true);
    void this.#passPauses();
    return timer;
  }

  clearTimeout(timer: unknown): void {
    for (const candidate of this.#timers) if (candidate === timer) this.#timers.delete(candidate);
  }

  /** Lets time pass, and calls the timers that fall due on the way in the order of their times. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let next = this.#next(); next && next.dueAt <= end; next = this.#next()) {
      this.#now = Math.max(this.#now, next.dueAt);
      this.#timers.delete(next);
      next.callback();
    }
    this.#now = end;
  }

  /** Runs a request, during which the clients move no clock. `pause` is a part of it that only waits. */
  async during<T>(
    request: (pause: (ms: number, signal: AbortSignal) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    this.#requests += 1;
    try {
      return await request(async (ms, signal) => {
        this.#requests -= 1;
        try {
          await this.#pause(ms, signal);
        } finally {
          this.#requests += 1;
        }
      });
    } finally {
      this.#requests -= 1;
      void this.#passPauses();
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = this.setPause(end, ms);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end);
    });
  }

  #add(callback: () => void, ms: number, isPause: boolean): Timer {
    // The times of the mock's clock are whole milliseconds.
    const timer = { callback, dueAt: this.#now + Math.ceil(ms), isPause };
    this.#timers.add(timer);
    return timer;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || timer.dueAt < first.dueAt) first = timer;
    return first;
  }

  /** Moves the clock from timer to timer while clients pause. */
  async #passPauses(): Promise<void> {
    if (this.#isMoving) return;
    this.#isMoving = true;
    try {
      for (;;) {
        // Code that a timer or a response starts may send a request.
        await realTurn();
        const next = this.#next();
        const isIdle = this.#requests === 0 && [...this.#timers].some(({ isPause }) => isPause);
        if (!next || !isIdle) return;
        await this.#move(Math.max(0, next.dueAt - this.#now));
      }
    } finally {
      this.#isMoving = false;
    }
  }
}
