/** Choices that a seed determines. */
export class Random {
  #state = 0;

  constructor(seed: string) {
    // FNV-1a turns the text into the first state.
    this.#state = 0x811c9dc5;
    for (const character of seed) {
      this.#state = Math.imul(this.#state ^ (character.codePointAt(0) ?? 0), 0x01000193);
    }
  }

  /** Returns a number from 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** Returns a whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Returns one of the items. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("Nothing to choose from");
    return item;
  }
}
