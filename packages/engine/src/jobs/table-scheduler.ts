import type { ExpiringCollection } from "../store/store.js";
import type { JobRow } from "../context/server-rows.js";
import type { Clock } from "../values/clock.js";
import { LockLostError } from "../context/database-engine.js";
import type { Job, JobSelection, NewJob, RunningJob, Scheduler } from "../context/scheduler.js";
import { computeRetryDelay, outageDelays } from "./retry-delay.js";

/** How jobs are found. */
export type JobLookup = Readonly<Record<never, never>> | { readonly subject: string };

/** The table with the jobs of a server. */
export type JobTable = ExpiringCollection<JobRow, JobLookup>;

interface SchedulerOptions {
  readonly jobs: JobTable;
  /** The session of the process that runs the jobs that are due immediately; null for any process. */
  readonly owner: string | null;
  readonly createId: () => string;
  readonly onSchedule?: (job: JobRow) => void;
  /** Receives the id of each job that was completed. */
  readonly onComplete?: (id: string) => void;
}

/** Schedules and cancels jobs as rows of the transaction that needs them. */
export class TableScheduler implements Scheduler {
  constructor(private readonly options: SchedulerOptions) {}

  schedule(clock: Clock, { delayMs, ...fields }: NewJob): Job {
    return this.#insert(clock, fields, delayMs);
  }

  repeat(clock: Clock, { kind, subject, change, outages: earlierOutages = 0 }: Job, random: number): void {
    const outages = earlierOutages + 1;
    this.#insert(
      clock,
      { kind, subject, ...(change !== undefined && { change }), outages },
      computeRetryDelay(outageDelays, outages, random),
    );
  }

  complete({ id, owner }: RunningJob): void {
    const { jobs, onComplete } = this.options;
    const row = jobs.get(id);
    if (row === undefined) return;
    if (row.owner !== owner) throw new LockLostError(new Error("Another process has the job"));
    // The commit compares the version of the row, which changes when another process claims the job.
    jobs.delete(id);
    onComplete?.(id);
  }

  #insert(clock: Clock, fields: Omit<Job, "dueAt">, delayMs: number): Job {
    const { jobs, owner, createId, onSchedule } = this.options;
    const now = clock.now();
    const isDueNow = delayMs <= 0;
    const row: JobRow = {
      id: `job_${createId()}`,
      createdAt: now,
      // If the clock is moved back before the job runs, it must not wait until the clock is here again.
      dueAt: isDueNow ? 0 : now + delayMs,
      ...fields,
      owner: isDueNow ? owner : null,
    };
    onSchedule?.(row);
    return jobs.insert(row);
  }

  cancel(_clock: Clock, { subject, kind, change }: JobSelection): void {
    const { jobs } = this.options;
    for (const job of jobs.list({ subject })) {
      const isSelected =
        (kind === undefined || job.kind === kind) && (change === undefined || job.change === change);
      if (isSelected) jobs.delete(job.id);
    }
  }
}
