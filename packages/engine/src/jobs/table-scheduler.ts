import type { ExpiringCollection } from "../store/store.js";
import type { JobRow } from "../context/server-rows.js";
import type { Clock } from "../values/clock.js";
import { type Job, type Scheduler, matchesJob } from "../context/scheduler.js";

/** How jobs are found. */
export type JobLookup = Readonly<Record<never, never>> | { readonly subject: string };

export type JobTable = ExpiringCollection<JobRow, JobLookup>;

interface SchedulerOptions {
  readonly jobs: JobTable;
  /** The session of the process that runs the jobs that are due at once; null for any process. */
  readonly owner: string | null;
  readonly createId: () => string;
  readonly onSchedule?: (job: JobRow) => void;
}

/** Schedules and cancels jobs as rows of the transaction that needs them. */
export class TableScheduler implements Scheduler {
  constructor(private readonly options: SchedulerOptions) {}

  schedule(clock: Clock, kind: string, subject: string, delay: number, change?: string): Job {
    const { jobs, owner, createId, onSchedule } = this.options;
    const now = clock.now();
    const isDueNow = delay <= 0;
    const row: JobRow = {
      id: `job_${createId()}`,
      createdAt: now,
      kind,
      subject,
      // If the clock is moved back before the job runs, it must not wait until the clock is here again.
      dueAt: isDueNow ? 0 : now + delay,
      ...(change !== undefined && { change }),
      owner: isDueNow ? owner : null,
    };
    onSchedule?.(row);
    return jobs.insert(row);
  }

  cancel(_clock: Clock, subject: string, kind?: string, change?: string): void {
    const { jobs } = this.options;
    for (const job of jobs.list({ subject })) {
      if (matchesJob(job, kind, change)) jobs.delete(job.id);
    }
  }
}
