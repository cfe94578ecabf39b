import type { Clock } from "../values/clock.js";
import { unrefTimer } from "../values/idle-timer.js";
import type { Job } from "../context/scheduler.js";
import type { JobRow } from "../context/server-rows.js";
import type { JobTable } from "./table-scheduler.js";

/** A clock that the queue moves from job to job. */
interface MovableClock extends Clock {
  moveTo(time: number): void;
}

interface JobQueueOptions {
  readonly jobs: JobTable;
  readonly clock: MovableClock;
  /** Runs a job and never rejects. `isAwaited` indicates whether `runNow` waits for the result. */
  readonly runJob: (job: JobRow, isAwaited: boolean) => Promise<unknown>;
}

/** Longest delay of a timer, in milliseconds. */
const maxTimerMs = 2_147_483_647;

/**
 * Runs the jobs of a table in memory when they are due. While the clock runs, a timer starts them; the timer does not keep the
 * process alive. While the clock is frozen, only moving it starts them. The row of a job stays until it is done, so a job that a
 * crash interrupts runs again.
 *
 * Each operation takes O(log n) steps for n pending jobs.
 */
export class JobQueue {
  readonly #options: JobQueueOptions;
  /** Ids of the jobs that run, also of those that were canceled meanwhile. */
  readonly #runningIds = new Set<string>();
  readonly #runningWork = new Set<Promise<unknown>>();
  /** The job that the timer is set for. */
  #timedJob: JobRow | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  /**
   * Runs a job now, even if it is not due, and resolves with the result of `runJob`. Does nothing when the job is
   * running or gone.
   */
  async runNow(job: Job): Promise<unknown> {
    const row = "id" in job ? this.#options.jobs.get(String(job.id)) : undefined;
    return row && !this.#runningIds.has(row.id) ? this.#startJob(row, true) : undefined;
  }

  /** Sets the timer for the next job. Call it once at the start, and whenever the clock is frozen, started or moved. */
  setTimer(): void {
    const { clock } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timedJob = this.#findDueJob(Infinity);
    if (!this.#timedJob || this.#isStopped) return;
    const waitMs = this.#timedJob.dueAt - clock.now();
    if (waitMs > 0 && clock.frozen) return;
    this.#timer = setTimeout(
      () => {
        this.#startDueJobs();
        this.setTimer();
      },
      Math.min(Math.max(waitMs, 0), maxTimerMs),
    );
    unrefTimer(this.#timer);
  }

  /** Sets the timer again if another job is the next one. Call it whenever a job was scheduled or canceled. */
  onJobsChanged(): void {
    if (this.#findDueJob(Infinity) !== this.#timedJob) this.setTimer();
  }

  /** Moves the clock forward to `time` and runs the jobs that fall due on the way one after the other, each at its own time. */
  async advanceTo(time: number): Promise<void> {
    const { clock } = this.#options;
    await this.waitUntilIdle();
    for (let nextJob = this.#findDueJob(time); nextJob; nextJob = this.#findDueJob(time)) {
      if (nextJob.dueAt > clock.now()) clock.moveTo(nextJob.dueAt);
      await this.#startJob(nextJob);
      await this.waitUntilIdle();
    }
    if (time > clock.now()) clock.moveTo(time);
    this.setTimer();
  }

  /**
   * Runs the subject's jobs now, in the order in which they were scheduled, and those that they schedule to start soon. Leaves
   * those that they schedule for later, such as their own repetition.
   */
  async finishJobs(subject: string): Promise<void> {
    const { jobs, clock } = this.#options;
    const scheduledIds = new Set(jobs.list({ subject }).map(({ id }) => id));
    for (;;) {
      const nextJob = jobs
        .list({ subject })
        .find(({ id, dueAt }) => !this.#runningIds.has(id) && (scheduledIds.has(id) || dueAt <= clock.now()));
      if (!nextJob) break;
      await this.#startJob(nextJob);
    }
    this.setTimer();
  }

  /** Resolves when no job is running. */
  async waitUntilIdle(): Promise<void> {
    while (this.#runningWork.size > 0) await Promise.all(this.#runningWork);
  }

  /** Starts jobs again after `stop`. */
  start(): void {
    this.#isStopped = false;
    this.setTimer();
  }

  /** Stops the timer. Running jobs continue, and no others start by themselves. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Returns the first job that is due until a time and that does not run. */
  #findDueJob(time: number): JobRow | undefined {
    const dueJobs = this.#options.jobs.listExpired(time, this.#runningIds.size + 1);
    return dueJobs.find(({ id }) => !this.#runningIds.has(id));
  }

  #startDueJobs(): void {
    const { jobs, clock } = this.#options;
    const now = clock.now();
    while (this.#findDueJob(now)) {
      for (const { id } of jobs.listExpired(now)) {
        // A job that has started may have canceled it.
        const job = this.#runningIds.has(id) ? undefined : jobs.get(id);
        if (job) void this.#startJob(job);
      }
    }
  }

  #startJob(job: JobRow, isAwaited = false): Promise<unknown> {
    const { jobs, runJob } = this.#options;
    this.#runningIds.add(job.id);
    const jobDone = runJob(job, isAwaited).finally(() => {
      this.#runningIds.delete(job.id);
      this.#runningWork.delete(jobDone);
      jobs.delete(job.id);
    });
    this.#runningWork.add(jobDone);
    return jobDone;
  }
}
