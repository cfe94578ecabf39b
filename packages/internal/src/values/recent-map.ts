/** A map of bounded size. It evicts the least recently used entries. */
export class RecentMap<Key, Value> {
  readonly #minSize: number;
  #recent = new Map<Key, Value>();
  #older: ReadonlyMap<Key, Value> = new Map();

  /** @param minSize the number of recent entries that it always has. It has at most twice as many. */
  constructor(minSize: number) {
    this.#minSize = minSize;
  }

  get(key: Key): Value | undefined {
    const recentValue = this.#recent.get(key);
    if (recentValue !== undefined) return recentValue;
    const olderValue = this.#older.get(key);
    if (olderValue !== undefined) this.set(key, olderValue);
    return olderValue;
  }

  set(key: Key, value: Value): void {
    if (this.#recent.size >= this.#minSize && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  clear(): void {
    this.#recent = new Map();
    this.#older = new Map();
  }
}
