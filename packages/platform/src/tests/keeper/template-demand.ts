/** Copies that are kept ready of a template when its first test begins. */
const initialCount = 8;

/** Number of copies that stay ready while none are taken, so that the next run starts immediately. */
const restingCount = 4;

/** How long after the last copy was taken a template rests, in milliseconds. */
const restAfterMs = 10_000;

/** How long after the last copy was taken none are made ahead any longer, in milliseconds. */
const unusedAfterMs = 600_000;

/** The most copies of a template that are kept ready, and the most bytes of them. At least two are kept ready. */
const maxCount = 64;
const maxBytes = 1024 ** 3;

/** Decides how many copies of a template to make ahead: more when tests had to wait for one. */
export class TemplateDemand {
  #count = initialCount;
  #takenAt: number;
  /** Copies that are being made. */
  unfinishedCount = 0;

  constructor(now: number) {
    this.#takenAt = now;
  }

  /** @param waits whether no copy was ready. */
  notice(now: number, waits: boolean): void {
    this.#takenAt = now;
    this.#count = Math.min(maxCount, Math.max(this.#count * (waits ? 2 : 1), initialCount));
  }

  /** Returns how many copies should be ready. */
  countAt(now: number, templateBytes: number): number {
    const count = now - this.#takenAt < restAfterMs ? this.#count : restingCount;
    return Math.max(2, Math.min(count, Math.floor(maxBytes / Math.max(1, templateBytes))));
  }

  /** Returns whether no test has needed the template for so long that no copies are made ahead. */
  isUnusedAt(now: number): boolean {
    return now - this.#takenAt >= unusedAfterMs && this.unfinishedCount === 0;
  }

  /** Forgets earlier waits once the template rests. */
  rest(now: number): void {
    if (now - this.#takenAt >= restAfterMs) this.#count = initialCount;
  }
}
