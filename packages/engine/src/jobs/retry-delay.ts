/** Range of the delays of one kind of attempts, in milliseconds. */
export interface RetryDelays {
  /** The maximum after the first attempt, which doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Delays of a job that has failed for an unknown reason, which only a new version may repair. */
export const failureDelays: RetryDelays = { firstMs: 1_000, maxMs: 300_000 };

/** Delays of a job that could not reach Postgres, which may be there again at any time. */
export const outageDelays: RetryDelays = { firstMs: 500, maxMs: 5_000 };

/**
 * Returns a random delay up to the maximum, so that jobs that have failed together are not repeated together.
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ calls this full jitter.
 *
 * @param attempts from 1.
 * @param random a number from 0 up to 1.
 */
export const computeRetryDelay = (
  { firstMs, maxMs }: RetryDelays,
  attempts: number,
  random = Math.random(),
): number => random * Math.min(maxMs, firstMs * 2 ** (attempts - 1));
