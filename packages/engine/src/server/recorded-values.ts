import type { IdGenerator } from "../values/ids.js";
import type { Clock } from "../values/clock.js";

/**
 * Records the random values and the time that a callback reads, so that every run of the callback gets the same ones. A run that
 * requests something else than the previous run, because it sees other rows, gets new values from there on.
 */
export class RecordedValues {
  readonly #records: { readonly callKey: string; readonly value: string }[] = [];
  readonly #ids: IdGenerator;
  readonly #clock: Clock;
  #position = 0;

  constructor(ids: IdGenerator, clock: Clock) {
    this.#ids = ids;
    this.#clock = { now: createFixedNow(clock.now()), frozen: clock.frozen };
  }

  /** Goes back to the first value, for the next run. */
  rewind(): void {
    this.#position = 0;
  }

  /** A clock that stands still while the callback runs. */
  get clock(): Clock {
    return this.#clock;
  }

  get ids(): IdGenerator {
    return {
      generateId: (resourceType) =>
        this.#replay(`id ${resourceType}`, () => this.#ids.generateId(resourceType)),
      generateLabel: (length) =>
        this.#replay(`label ${String(length)}`, () => this.#ids.generateLabel(length)),
      generateSecret: (length) =>
        this.#replay(`secret ${String(length)}`, () => this.#ids.generateSecret(length)),
      generateName: () => this.#replay("name", () => this.#ids.generateName()),
    };
  }

  #replay(callKey: string, generate: () => string): string {
    let record = this.#records[this.#position];
    if (record?.callKey !== callKey) {
      record = { callKey, value: generate() };
      this.#records.splice(this.#position, Infinity, record);
    }
    this.#position += 1;
    return record.value;
  }
}

const createFixedNow = (time: number) => (): number => time;
