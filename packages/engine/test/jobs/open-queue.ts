import { JobQueue } from "../../src/jobs/job-queue.js";
import { type JobLookup, TableScheduler } from "../../src/jobs/table-scheduler.js";
import { toJob, buildJobRows } from "../../src/server/snapshot-tables.js";
import { MemoryExpiringCollection } from "../../src/store/memory-collection.js";
import { VirtualClock } from "../../src/values/clock.js";
import type { Job, JobSelection, NewJob } from "../../src/context/scheduler.js";
import { type JobRow, serverTables } from "../../src/context/server-rows.js";

/** A queue of jobs in memory, with what schedules and cancels them. */
export interface OpenQueue {
  readonly clock: VirtualClock;
  readonly queue: JobQueue;
  schedule(job: NewJob): Job;
  cancel(selection: JobSelection): void;
  /** Returns the jobs as a snapshot has them. */
  state(): Job[];
}

export const openQueue = (
  perform: (job: Job, opened: OpenQueue) => void | Promise<void>,
  jobs: readonly Job[] = [],
  clock = new VirtualClock({ frozenAt: 0 }),
): OpenQueue => {
  const table = new MemoryExpiringCollection<JobRow, JobLookup>(serverTables.jobs.keys, () =>
    queue.onJobsChanged(),
  );
  table.restore(buildJobRows(jobs));
  const queue: JobQueue = new JobQueue({
    ...{ jobs: table, clock },
    runJob: async (job) => perform(job, opened),
  });
  let scheduled = 0;
  const newId = (): string => String((scheduled += 1));
  const scheduler = new TableScheduler({ jobs: table, owner: null, createId: newId });
  const opened: OpenQueue = {
    ...{ clock, queue },
    schedule: (job) => scheduler.schedule(clock, job),
    cancel: (selection) => scheduler.cancel(clock, selection),
    state: () => table.state.rows.map(([, job]) => toJob(job)),
  };
  return opened;
};
