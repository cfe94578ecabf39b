/** Initial number of copies of a template that are kept ready. */
const initialCount = 8;

/** Number of copies that stay ready while the template is idle, so that the next run starts immediately. */
const idleCount = 4;

/** Time without use after which a template is idle, in milliseconds. */
const idleAfterMs = 10_000;

/** Time without use after which the template may be removed, in milliseconds. */
const unusedAfterMs = 600_000;

/** Time without use after which no copies are made ahead, and those of all but the latest templates are dropped, in milliseconds. */
const abandonedAfterMs = 30_000;

/** The most copies of a template that are kept ready, and the most bytes of them. At least two are kept ready. */
const maxCount = 64;
const maxBytes = 1024 ** 3;

/** Decides how many copies of a template to make ahead: more when tests had to wait for one. */
export class TemplateDemand {
  #count = initialCount;
  #usedAt: number;
  /** Copies that are being made. */
  unfinishedCount = 0;

  constructor(now: number) {
    this.#usedAt = now;
  }

  /** @param waits whether no copy was ready. */
  recordUse(now: number, waits: boolean): void {
    this.#usedAt = now;
    this.#count = Math.min(maxCount, Math.max(this.#count * (waits ? 2 : 1), initialCount));
  }

  /** Returns how many copies should be ready. Those of a template without use remain, but are not replaced. */
  computeCount(now: number, templateBytes: number): number {
    if (!this.isInUseAt(now)) return 0;
    const count = now - this.#usedAt < idleAfterMs ? this.#count : idleCount;
    return Math.max(2, Math.min(count, Math.floor(maxBytes / Math.max(1, templateBytes))));
  }

  /** Returns whether no test has needed the template for so long that it may be removed. */
  isUnusedAt(now: number): boolean {
    return now - this.#usedAt >= unusedAfterMs && this.unfinishedCount === 0;
  }

  /** Returns whether a test has needed the template a short while ago. */
  isInUseAt(now: number): boolean {
    return now - this.#usedAt < abandonedAfterMs;
  }

  /** Resets the count if the template is idle. */
  resetIfIdle(now: number): void {
    if (now - this.#usedAt >= idleAfterMs) this.#count = initialCount;
  }
}
