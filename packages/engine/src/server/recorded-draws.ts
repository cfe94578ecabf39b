import type { IdGenerator } from "../values/ids.js";
import type { Clock } from "../values/clock.js";

/**
 * Records the random values and the time that a callback reads, so that every run of the callback gets the same. A run that draws something else
 * than the run before, because it sees other rows, gets new values from there on.
 */
export class RecordedDraws {
  readonly #recordedDraws: { readonly callKey: string; readonly value: string }[] = [];
  readonly #ids: IdGenerator;
  readonly #clock: Clock;
  #position = 0;

  constructor(ids: IdGenerator, clock: Clock) {
    this.#ids = ids;
    this.#clock = { now: createFixedNow(clock.now()), frozen: clock.frozen };
  }

  /** Goes back to the start, for the next run. */
  rewind(): void {
    this.#position = 0;
  }

  /** A clock that stands still while the callback runs. */
  get clock(): Clock {
    return this.#clock;
  }

  get ids(): IdGenerator {
    return {
      id: (resourceType) => this.#draw(`id ${resourceType}`, () => this.#ids.id(resourceType)),
      label: (length) => this.#draw(`label ${String(length)}`, () => this.#ids.label(length)),
      secret: (length) => this.#draw(`secret ${String(length)}`, () => this.#ids.secret(length)),
      name: () => this.#draw("name", () => this.#ids.name()),
    };
  }

  #draw(callKey: string, draw: () => string): string {
    let recordedDraw = this.#recordedDraws[this.#position];
    if (recordedDraw?.callKey !== callKey) {
      recordedDraw = { callKey, value: draw() };
      this.#recordedDraws.splice(this.#position, Infinity, recordedDraw);
    }
    this.#position += 1;
    return recordedDraw.value;
  }
}

const createFixedNow = (time: number) => (): number => time;
