import type { PartialCollection } from "../store/partial-collection.js";
import type { JobRow } from "../world/server-rows.js";
import type { Clock } from "../values/clock.js";
import { type Job, type Scheduler, isOf } from "../world/scheduler.js";

/** How jobs are found. */
export type JobWhere = Readonly<Record<never, never>> | { readonly subject: string };

export type JobTable = PartialCollection<JobRow, JobWhere>;

/** Schedules and cancels jobs as rows of the transaction that needs them. */
export class StoredScheduler implements Scheduler {
  readonly #jobs: JobTable;
  readonly #owner: string | null;
  readonly #newId: () => string;
  readonly #scheduled: JobRow[] = [];

  /** @param owner the session of this process, which runs the jobs that are due at once. */
  constructor(jobs: JobTable, owner: string | null, newId: () => string) {
    this.#jobs = jobs;
    this.#owner = owner;
    this.#newId = newId;
  }

  /** The jobs that were scheduled and not canceled, in their order. */
  get scheduled(): JobRow[] {
    return this.#scheduled.filter(({ id }) => this.#jobs.get(id) !== undefined);
  }

  schedule(clock: Clock, kind: string, subject: string, delay: number, change?: string): Job {
    const now = clock.now();
    const isDueNow = delay <= 0;
    const row: JobRow = {
      id: `job_${this.#newId()}`,
      createdAt: now,
      kind,
      subject,
      // If the clock is moved back before the job runs, it must not wait until the clock is here again.
      dueAt: isDueNow ? 0 : now + delay,
      ...(change !== undefined && { change }),
      owner: isDueNow ? this.#owner : null,
    };
    this.#scheduled.push(row);
    return this.#jobs.insert(row);
  }

  cancel(_clock: Clock, subject: string, kind?: string, change?: string): void {
    for (const job of this.#jobs.list({ subject })) {
      if (isOf(job, kind, change)) this.#jobs.delete(job.id);
    }
  }
}
