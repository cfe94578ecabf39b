import { computeRetryDelay, outageDelays } from "./retry-delay.js";

/**
 * The jobs of this process that could not reach Postgres. The process stores them and the time of their next start, because their rows
 * cannot be changed either. The delays are of real time, because Postgres is unreachable for real time, even while the clock is frozen.
 */
export class PostponedJobs {
  readonly #jobs = new Map<string, { readonly attempts: number; readonly endsAt: number }>();

  /** Returns after how many milliseconds to start the job again. */
  postpone(id: string): number {
    const attempts = (this.#jobs.get(id)?.attempts ?? 0) + 1;
    const delayMs = computeRetryDelay(outageDelays, attempts);
    this.#jobs.set(id, { attempts, endsAt: performance.now() + delayMs });
    return delayMs;
  }

  /** Returns whether the job is not to be started yet. */
  has(id: string): boolean {
    return (this.#jobs.get(id)?.endsAt ?? 0) > performance.now();
  }

  /** Removes a job that has reached Postgres. */
  delete(id: string): void {
    this.#jobs.delete(id);
  }

  /** Removes all other jobs. */
  deleteAllExcept(ids: ReadonlySet<string>): void {
    for (const id of this.#jobs.keys()) if (!ids.has(id)) this.#jobs.delete(id);
  }
}
