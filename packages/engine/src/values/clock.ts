/** The server's clock, in milliseconds since 1970. The server reads time from no other clock. */
export interface Clock {
  now(): number;
  /** Whether the clock stops until it is moved. */
  readonly frozen: boolean;
}

/** Later times, and times that the server derives from them, could have years that RFC 3339 cannot express. */
const latestTime = Date.UTC(9000, 0);

/** Returns whether the clock can be at the time: from 1970-01-01 to 9000-01-01. */
export const isSupportedTime = (time: number): boolean => time >= 0 && time <= latestTime;

/** Formats a time for responses: ISO 8601 with milliseconds, UTC. */
export const formatTimestamp = (time: number): string => {
  const cachedText = formattedTimes.get(time);
  if (cachedText !== undefined) return cachedText;
  if (formattedTimes.size >= maxCachedTimes) formattedTimes.clear();
  const isoTime = new Date(time).toISOString();
  formattedTimes.set(time, isoTime);
  return isoTime;
};

/** Caches formatted times. Lists repeat the same times, and formatting one takes longer than the rest of its row. */
const formattedTimes = new Map<number, string>();
const maxCachedTimes = 4_096;

/** State of a clock: its time while frozen, otherwise its offset from the system's clock. */
export type ClockState = { frozenAt: number } | { offset: number };

/** Runs at an offset from the system's clock, or is frozen until it is moved. */
export class VirtualClock implements Clock {
  #state: ClockState;
  readonly #readSystemTime: () => number;

  /** @param readSystemTime returns milliseconds since 1970. Default: the clock of this machine. */
  constructor(state: ClockState = { offset: 0 }, readSystemTime: () => number = Date.now) {
    this.#state = state;
    this.#readSystemTime = readSystemTime;
  }

  get frozen(): boolean {
    return "frozenAt" in this.#state;
  }

  now(): number {
    return "frozenAt" in this.#state ? this.#state.frozenAt : this.#readSystemTime() + this.#state.offset;
  }

  freeze(): void {
    this.#state = { frozenAt: this.now() };
  }

  /** Starts the clock again from its current time. */
  run(): void {
    this.#state = { offset: this.now() - this.#readSystemTime() };
  }

  moveTo(time: number): void {
    this.#state = this.frozen ? { frozenAt: time } : { offset: time - this.#readSystemTime() };
  }

  get state(): ClockState {
    return this.#state;
  }
}
