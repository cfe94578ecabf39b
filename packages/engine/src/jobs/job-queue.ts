import type { Clock } from "../values/clock.js";
import { withoutHold } from "../values/idle-timer.js";
import type { Job } from "../context/scheduler.js";
import type { JobRow } from "../context/server-rows.js";
import type { JobTable } from "./table-scheduler.js";

/** A clock that the queue moves from job to job. */
interface MovableClock extends Clock {
  moveTo(time: number): void;
}

interface JobQueueParts {
  readonly jobs: JobTable;
  readonly clock: MovableClock;
  /** Runs a job and never rejects. `isAwaited` tells whether `runNow` waits for the result. */
  readonly perform: (job: Job, isAwaited: boolean) => Promise<unknown>;
}

/** Longest delay of a timer, in milliseconds. */
const maxTimer = 2_147_483_647;

/**
 * Runs the jobs of a table in memory when they are due. While the clock runs, a timer starts them; the timer does not keep the
 * process alive. While the clock is frozen, only moving it starts them. The row of a job stays until it is done, so a job that a
 * crash interrupts runs again.
 *
 * Each operation takes O(log n) steps for n pending jobs.
 */
export class JobQueue {
  readonly #parts: JobQueueParts;
  /** Ids of the jobs that run, also of those that were canceled meanwhile. */
  readonly #running = new Set<string>();
  readonly #work = new Set<Promise<unknown>>();
  /** The job that the timer is set for. */
  #next: JobRow | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(parts: JobQueueParts) {
    this.#parts = parts;
  }

  /**
   * Runs a job now, even if it is not due, and resolves with the result of `perform`. Does nothing when the job is
   * running or gone.
   */
  async runNow(job: Job): Promise<unknown> {
    const row = "id" in job ? this.#parts.jobs.get(String(job.id)) : undefined;
    return row && !this.#running.has(row.id) ? this.#start(row, true) : undefined;
  }

  /** Sets the timer for the next job. Call it once at the start, and whenever the clock is frozen, started or moved. */
  arm(): void {
    const { clock } = this.#parts;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = this.#waiting(Infinity);
    if (!this.#next || this.#isClosed) return;
    const wait = this.#next.dueAt - clock.now();
    if (wait > 0 && clock.frozen) return;
    this.#timer = setTimeout(
      () => {
        this.#startDue();
        this.arm();
      },
      Math.min(Math.max(wait, 0), maxTimer),
    );
    withoutHold(this.#timer);
  }

  /** Sets the timer again if another job is the next one. Call it whenever a job was scheduled or canceled. */
  jobsChanged(): void {
    if (this.#waiting(Infinity) !== this.#next) this.arm();
  }

  /** Moves the clock forward to `time` and runs the jobs that fall due on the way one after the other, each at its own time. */
  async advanceTo(time: number): Promise<void> {
    const { clock } = this.#parts;
    await this.idle();
    for (let next = this.#waiting(time); next; next = this.#waiting(time)) {
      if (next.dueAt > clock.now()) clock.moveTo(next.dueAt);
      await this.#start(next);
      await this.idle();
    }
    if (time > clock.now()) clock.moveTo(time);
    this.arm();
  }

  /**
   * Runs the subject's jobs now, in the order in which they were scheduled, and those that they schedule to start soon. Leaves
   * those that they schedule for later, such as their own repetition.
   */
  async finish(subject: string): Promise<void> {
    const { jobs, clock } = this.#parts;
    const scheduled = new Set(jobs.list({ subject }).map(({ id }) => id));
    for (;;) {
      const next = jobs
        .list({ subject })
        .find(({ id, dueAt }) => !this.#running.has(id) && (scheduled.has(id) || dueAt <= clock.now()));
      if (!next) break;
      await this.#start(next);
    }
    this.arm();
  }

  /** Resolves when no job is running. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Starts jobs again after `close`. */
  reopen(): void {
    this.#isClosed = false;
    this.arm();
  }

  /** Stops the timer. Running jobs continue, and no others start by themselves. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Returns the first job that is due until a time and that does not run. */
  #waiting(time: number): JobRow | undefined {
    const first = this.#parts.jobs.listExpired(time, this.#running.size + 1);
    return first.find(({ id }) => !this.#running.has(id));
  }

  #startDue(): void {
    const { jobs, clock } = this.#parts;
    const now = clock.now();
    while (this.#waiting(now)) {
      for (const { id } of jobs.listExpired(now)) {
        // A job that has started may have canceled it.
        const job = this.#running.has(id) ? undefined : jobs.get(id);
        if (job) void this.#start(job);
      }
    }
  }

  #start(job: JobRow, isAwaited = false): Promise<unknown> {
    const { jobs, perform } = this.#parts;
    this.#running.add(job.id);
    const done = perform(job, isAwaited).finally(() => {
      this.#running.delete(job.id);
      this.#work.delete(done);
      jobs.delete(job.id);
    });
    this.#work.add(done);
    return done;
  }
}
