import { isRealDay } from "@mgmt/internal/text/real-day";
import { type CallMode, type ModeResult, mapAwaitable } from "../values/awaitable.js";
import { type Clock, type VirtualClock, isSupportedTime } from "../values/clock.js";
import * as controlErrors from "./control-errors.js";

/**
 * Milliseconds since 1970, a `Date`, or a string: a date such as `2026-01-31`, which is its first millisecond in UTC, or a date and time
 * with a time zone, such as `2026-01-31T12:00:00Z`. Between 1970-01-01 and 9000-01-01.
 */
export type Time = number | Date | string;

/**
 * Converts a time to milliseconds since 1970.
 *
 * @throws ControlError unless it is a number, a date, or a date and time with a time zone, from 1970 to 9000.
 */
export const parseTimestamp = (time: Time): number => {
  const milliseconds = typeof time === "string" ? parseTimeText(time) : Number(time ?? NaN);
  if (!Number.isFinite(milliseconds)) throw controlErrors.unparsableTime();
  return requireSupportedTime(milliseconds);
};

/** Years may have six digits, which are out of the range. */
const timestampPattern =
  /^((?:[+-]\d{6}|\d{4})-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** `Date` alone accepts nearly everything: other forms, times of the machine's zone, and days that do not exist. */
const parseTimeText = (isoTime: string): number => {
  const [, date = ""] = timestampPattern.exec(isoTime) ?? [];
  return isRealDay(date) ? Date.parse(isoTime) : NaN;
};

const requireSupportedTime = (time: number): number => {
  if (isSupportedTime(time)) return time;
  throw controlErrors.unsupportedTime();
};

/** The clock of a server, and the jobs that run by it. */
export interface ClockSource<Mode extends CallMode> {
  read<T>(readClock: (clock: Clock) => T): ModeResult<Mode, T>;
  /** Changes the clock, and plans the jobs by it. The change may run more than once. */
  change(change: (clock: VirtualClock) => void): ModeResult<Mode, void>;
  /** Moves the clock forward to a time, and runs the jobs that fall due on the way, each at its own time. */
  advanceTo(time: number): Promise<void>;
}

/** Controls the server's clock. Moving it forward runs the jobs that fall due on the way, each at its own time. */
export class ClockControl<Mode extends CallMode> {
  readonly #moveListeners = new Set<(milliseconds: number) => void>();

  /** @internal */
  constructor(private readonly source: ClockSource<Mode>) {}

  /** Returns the time in milliseconds since 1970. */
  now(): ModeResult<Mode, number> {
    return this.source.read((clock) => clock.now());
  }

  /** Whether the clock stands still until it is moved or started. */
  get frozen(): ModeResult<Mode, boolean> {
    return this.source.read((clock) => clock.frozen);
  }

  /** Stops the clock until it is moved or started. */
  freeze(): ModeResult<Mode, void> {
    return this.source.change((clock) => clock.freeze());
  }

  /** Starts the clock again from its current time. */
  run(): ModeResult<Mode, void> {
    return this.source.change((clock) => clock.run());
  }

  /** Moves the clock forward by `milliseconds`, to the year 9000 at most. Resolves when all jobs that fell due are done. */
  async advance(milliseconds: number): Promise<void> {
    if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) throw controlErrors.invalidAdvance();
    await mapAwaitable<number, void>(this.now(), (now) =>
      this.#moveForward(requireSupportedTime(now + milliseconds), milliseconds),
    );
  }

  /** Moves the clock to a time between 1970 and 9000. The time may be in the past, but that does not undo jobs that have run. */
  async set(time: Time): Promise<void> {
    const target = parseTimestamp(time);
    await mapAwaitable<number, void>(this.now(), (now) =>
      target >= now
        ? this.#moveForward(target, target - now)
        : this.source.change((clock) => clock.moveTo(target)),
    );
  }

  /**
   * Calls the listener with the milliseconds of each further move forward, after its jobs are done.
   *
   * @internal
   */
  followMoves(listener: (milliseconds: number) => void): void {
    this.#moveListeners.add(listener);
  }

  async #moveForward(time: number, milliseconds: number): Promise<void> {
    await this.source.advanceTo(time);
    for (const listener of this.#moveListeners) listener(milliseconds);
  }
}
