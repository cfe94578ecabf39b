const maxBucketSize = 256;

/**
 * Items in the order of `compare`, in buckets of limited size: adding, removing and seeking take O(log n) steps plus a move
 * within one bucket. No two items may compare as equal.
 */
export class SortedList<T> {
  /** No bucket is empty. */
  readonly #buckets: T[][] = [];
  readonly #compare: (left: T, right: T) => number;
  #size = 0;

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#buckets[0]?.[0];
  }

  add(item: T): void {
    this.#size += 1;
    const [bucketIndex, bucket] = this.#findBucket(item);
    if (bucket === undefined) {
      this.#buckets.push([item]);
      return;
    }
    const index = findFirstIndex(bucket, (other) => this.#compare(other, item) > 0);
    if (bucket.length < maxBucketSize) {
      bucket.splice(index, 0, item);
    } else if (index === bucket.length) {
      // Items that arrive in order fill one bucket after the other.
      this.#buckets.splice(bucketIndex + 1, 0, [item]);
    } else {
      this.#buckets.splice(bucketIndex + 1, 0, bucket.splice(maxBucketSize / 2));
      this.#size -= 1;
      this.add(item);
    }
  }

  /** Removes an item; returns false when it is not in the list. */
  remove(item: T): boolean {
    const [bucketIndex, bucket] = this.#findBucket(item);
    if (bucket === undefined) return false;
    const index = findFirstIndex(bucket, (other) => this.#compare(other, item) >= 0);
    if (bucket[index] !== item) return false;
    bucket.splice(index, 1);
    this.#size -= 1;
    if (bucket.length < maxBucketSize / 4) this.#mergeAt(bucketIndex);
    return true;
  }

  toArray(): T[] {
    return this.#buckets.flat();
  }

  /** Yields items in order, from the first for which `isReached` holds. It must hold for all items after that one, too. */
  *iterateFrom(isReached: (item: T) => boolean): Generator<T, void, undefined> {
    let bucketIndex = findFirstIndex(this.#buckets, (bucket) => isReached(getLastItem(bucket)));
    let index = findFirstIndex(this.#buckets[bucketIndex] ?? [], isReached);
    for (; bucketIndex < this.#buckets.length; bucketIndex += 1, index = 0) {
      const bucket = this.#buckets[bucketIndex] ?? [];
      for (; index < bucket.length; index += 1) yield getItem(bucket, index);
    }
  }

  /** Yields items in reverse order, from the last for which `isReached` does not hold. */
  *iterateBackFrom(isReached: (item: T) => boolean): Generator<T, void, undefined> {
    let bucketIndex = findFirstIndex(this.#buckets, (bucket) => isReached(getLastItem(bucket)));
    let index = findFirstIndex(this.#buckets[bucketIndex] ?? [], isReached) - 1;
    for (;;) {
      const bucket = this.#buckets[bucketIndex] ?? [];
      for (; index >= 0; index -= 1) yield getItem(bucket, index);
      bucketIndex -= 1;
      if (bucketIndex < 0) return;
      index = (this.#buckets[bucketIndex]?.length ?? 0) - 1;
    }
  }

  /** Returns the bucket that contains the item, or into which it would be inserted. */
  #findBucket(item: T): [at: number, bucket: T[] | undefined] {
    const nextBucketIndex = findFirstIndex(
      this.#buckets,
      (bucket) => this.#compare(getItem(bucket, 0), item) > 0,
    );
    const bucketIndex = Math.max(nextBucketIndex - 1, 0);
    return [bucketIndex, this.#buckets[bucketIndex]];
  }

  /** Removes an empty bucket. Merges a short one with its neighbor if both fit into one. */
  #mergeAt(bucketIndex: number): void {
    const bucket = this.#buckets[bucketIndex] ?? [];
    const previousBucket = this.#buckets[bucketIndex - 1];
    if (bucket.length === 0) {
      this.#buckets.splice(bucketIndex, 1);
    } else if (previousBucket !== undefined && previousBucket.length + bucket.length <= maxBucketSize / 2) {
      previousBucket.push(...bucket);
      this.#buckets.splice(bucketIndex, 1);
    }
  }
}

/** Returns the index of the first item for which `isReached` holds, by binary search; the length when there is none. */
const findFirstIndex = <T>(items: readonly T[], isReached: (item: T) => boolean): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(getItem(items, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
};

// `T` may include undefined, so only the index can show whether there is an item.
const getItem = <T>(items: readonly T[], index: number): T => items[index] as T;

const getLastItem = <T>(bucket: readonly T[]): T => getItem(bucket, bucket.length - 1);
