import { type VirtualClock, isSupportedTime } from "../time/clock.js";
import type { JobQueue } from "../time/job-queue.js";
import { controlErrors } from "./control-error.js";

/**
 * Milliseconds since 1970, a `Date`, or a string that the `Date` constructor parses. Between 1970-01-01 and
 * 9000-01-01.
 */
export type Time = number | Date | string;

export const readTime = (time: Time): number => {
  const value = typeof time === "number" ? time : new Date(time).getTime();
  if (!Number.isFinite(value)) throw controlErrors.unparsableTime();
  return requireSupported(value);
};

export const requireSupported = (time: number): number => {
  if (isSupportedTime(time)) return time;
  throw controlErrors.unsupportedTime();
};

/** A server whose clock and jobs are in memory. */
interface ClockWorld {
  readonly clock: VirtualClock;
  readonly scheduler: JobQueue;
}

/** Controls the server's clock. Moving it forward runs the jobs that fall due on the way, each at its own time. */
export class ClockControl {
  constructor(private readonly world: () => ClockWorld) {}

  /** Returns the time in milliseconds since 1970. */
  now(): number {
    return this.world().clock.now();
  }

  /** Whether the clock stands still until it is moved or started. */
  get frozen(): boolean {
    return this.world().clock.frozen;
  }

  /** Stops the clock until it is moved or started. */
  freeze(): void {
    const { clock, scheduler } = this.world();
    clock.freeze();
    scheduler.arm(clock);
  }

  /** Starts the clock again from its current time. */
  run(): void {
    const { clock, scheduler } = this.world();
    clock.run();
    scheduler.arm(clock);
  }

  /** Moves the clock forward by `milliseconds`, to the year 9000 at most. Resolves when all jobs that fell due are done. */
  async advance(milliseconds: number): Promise<void> {
    if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
      throw controlErrors.invalidAdvance();
    }
    const { clock, scheduler } = this.world();
    await scheduler.advanceTo(clock, requireSupported(clock.now() + milliseconds));
  }

  /** Moves the clock to a time between 1970 and 9000. The time may be in the past, but that does not undo jobs that have run. */
  async set(time: Time): Promise<void> {
    const target = readTime(time);
    const { clock, scheduler } = this.world();
    if (target >= clock.now()) return scheduler.advanceTo(clock, target);
    clock.moveTo(target);
    scheduler.arm(clock);
  }
}
