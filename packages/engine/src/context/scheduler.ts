import type { Clock } from "../values/clock.js";

/** Work that is due at a time of the server's clock. Plain JSON, because snapshots contain the pending jobs. */
export interface Job {
  /** Names the handler: `database.provision`. */
  kind: string;
  /** Id of the row that the job works on. */
  subject: string;
  /** Milliseconds since 1970. 0 if the job is due immediately. */
  dueAt: number;
  /** Id of the change that the job makes, or of the connection whose login it sets. Absent in other jobs. */
  change?: string;
  /** How many earlier attempts could not reach the database server, from 1. Absent if none. */
  outages?: number;
}

/** A job that a process runs. */
export interface RunningJob extends Job {
  readonly id: string;
  /** The session of the process; null in memory. */
  readonly owner: string | null;
}

/** Schedules and cancels jobs. The changes are part of the transaction of the callback that makes them. */
export interface Scheduler {
  /** Schedules a job. */
  schedule(clock: Clock, job: NewJob): Job;
  /**
   * Schedules a job again that could not reach the database server, after a random delay that grows with each attempt.
   *
   * @param random a number from 0 up to 1, which is the same whenever the callback runs again.
   */
  repeat(clock: Clock, job: Job, random: number): void;
  /**
   * Removes a job in the transaction that stores its result, which fails unless its process has the job until the commit. A job that was
   * canceled has no other process.
   *
   * @throws LockLostError when another process has the job.
   */
  complete(job: RunningJob): void;
  /** Removes the selected jobs, so that they do not run again. */
  cancel(clock: Clock, selection: JobSelection): void;
}

/** A job to schedule. */
export interface NewJob extends Omit<Job, "dueAt" | "outages"> {
  /** Milliseconds until the job is due. With 0 it starts soon, but never during the call that schedules it. */
  readonly delayMs: number;
}

/** Selects jobs of one subject. A property that is absent selects any value. */
export interface JobSelection {
  readonly subject: string;
  readonly kind?: string | undefined;
  readonly change?: string | undefined;
}
