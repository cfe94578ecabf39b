/** The server's time, in milliseconds since 1970. Nothing in the server reads another clock. */
export interface Clock {
  now(): number;
}

/** A time of the server's clock as answers show it: ISO 8601 with milliseconds, UTC. */
export const timestamp = (time: number): string => {
  const known = printed.get(time);
  if (known !== undefined) return known;
  if (printed.size >= maxPrinted) printed.clear();
  const text = new Date(time).toISOString();
  printed.set(time, text);
  return text;
};

/** Lists print the same times again and again, and printing one takes longer than the rest of its row. */
const printed = new Map<number, string>();
const maxPrinted = 4_096;

/** Where a clock stands: a number while frozen, else its distance from the system's clock. */
export type ClockState = { frozenAt: number } | { offset: number };

/** Follows the system's clock at a distance, or stands still until it is moved. */
export class VirtualClock implements Clock {
  #state: ClockState;

  constructor(state: ClockState = { offset: 0 }) {
    this.#state = state;
  }

  get frozen(): boolean {
    return "frozenAt" in this.#state;
  }

  now(): number {
    return "frozenAt" in this.#state ? this.#state.frozenAt : Date.now() + this.#state.offset;
  }

  freeze(): void {
    this.#state = { frozenAt: this.now() };
  }

  /** Runs on from where it stands. */
  run(): void {
    this.#state = { offset: this.now() - Date.now() };
  }

  moveTo(time: number): void {
    this.#state = this.frozen ? { frozenAt: time } : { offset: time - Date.now() };
  }

  get state(): ClockState {
    return this.#state;
  }
}
