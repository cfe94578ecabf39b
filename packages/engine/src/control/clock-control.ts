import type { ControlledWorld } from "./controlled-world.js";
import { ControlError } from "./control-error.js";

/** Milliseconds since 1970, a `Date`, or what `Date` reads. */
export type Time = number | Date | string;

export const readTime = (time: Time): number => {
  const value = typeof time === "number" ? time : new Date(time).getTime();
  if (!Number.isFinite(value)) throw new ControlError(400, "The time is not one that Date can read");
  return value;
};

/** The server's clock. Moving it forward does the work that falls due on the way, each job at its own time. */
export class ClockControl {
  constructor(private readonly world: () => ControlledWorld) {}

  /** Milliseconds since 1970. */
  now(): number {
    return this.world().clock.now();
  }

  get frozen(): boolean {
    return this.world().clock.frozen;
  }

  /** Stands still from now on, until it is moved. */
  freeze(): void {
    this.world().clock.freeze();
    this.world().scheduler.arm();
  }

  /** Runs on from where it stands. */
  run(): void {
    this.world().clock.run();
    this.world().scheduler.arm();
  }

  /** Moves on by `milliseconds`. Resolves when all work that fell due is done. */
  async advance(milliseconds: number): Promise<void> {
    if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
      throw new ControlError(400, "The clock advances by milliseconds, 0 or more");
    }
    await this.world().scheduler.advanceTo(this.world().clock.now() + milliseconds);
  }

  /** Moves to a time; back, too, but what was done stays done. */
  async set(time: Time): Promise<void> {
    const target = readTime(time);
    if (target >= this.world().clock.now()) return this.world().scheduler.advanceTo(target);
    this.world().clock.moveTo(target);
    this.world().scheduler.arm();
  }
}
