import { SortedList } from "../store/sorted-list.js";
import type { Clock } from "../values/clock.js";
import { withoutHold } from "../values/idle-timer.js";
import { type Job, type Scheduler, isOf } from "../world/scheduler.js";

/** A clock that the queue moves from job to job. */
interface MovableClock extends Clock {
  moveTo(time: number): void;
}

interface Entry {
  readonly job: Job;
  /** Grows with every job, so that jobs that are due at the same time run in the order in which they were scheduled. */
  readonly order: number;
  running: boolean;
}

/** Longest delay of a timer, in milliseconds. */
const maxTimer = 2_147_483_647;

/**
 * Runs jobs when they are due. While the clock runs, a timer starts them; the timer does not keep the process alive.
 * While the clock is frozen, only moving it starts them. A job stays in the state until it is done, so a job that a
 * crash interrupts runs again.
 *
 * Each operation takes O(log n) steps for n pending jobs.
 */
export class JobQueue implements Scheduler {
  /** Jobs that wait or run, in the order in which they were scheduled. */
  readonly #entries = new Set<Entry>();
  readonly #bySubject = new Map<string, Set<Entry>>();
  readonly #waiting = new SortedList<Entry>(
    (left, right) => left.job.dueAt - right.job.dueAt || left.order - right.order,
  );
  readonly #running = new Set<Promise<unknown>>();
  #scheduled = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** @param perform runs a job and never rejects. `isAwaited` tells whether `runNow` waits for the result. */
  constructor(
    private readonly perform: (job: Job, isAwaited: boolean) => Promise<unknown>,
    jobs: readonly Job[],
  ) {
    for (const job of jobs) this.#add(job);
  }

  get state(): Job[] {
    return Array.from(this.#entries, ({ job }) => job);
  }

  schedule(clock: Clock, kind: string, subject: string, delay: number, change?: string): Job {
    const dueAt = clock.now() + delay;
    const job: Job = { kind, subject, dueAt, ...(change !== undefined && { change }) };
    const entry = this.#add(job);
    if (this.#waiting.first === entry) this.arm(clock);
    return job;
  }

  /**
   * Runs a job now, even if it is not due, and resolves with the result of `perform`. Does nothing when the job is
   * running or gone.
   */
  async runNow(job: Job): Promise<unknown> {
    const entry = [...(this.#bySubject.get(job.subject) ?? [])].find((each) => each.job === job);
    return entry && !entry.running ? this.#start(entry, true) : undefined;
  }

  cancel(clock: Clock, subject: string, kind?: string, change?: string): void {
    const { first } = this.#waiting;
    for (const entry of [...(this.#bySubject.get(subject) ?? [])]) {
      if (isOf(entry.job, kind, change)) this.#remove(entry);
    }
    if (this.#waiting.first !== first) this.arm(clock);
  }

  /** Sets the timer for the next job by this clock. Call it once at the start, and whenever the clock is frozen, started or moved. */
  arm(clock: Clock): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const next = this.#waiting.first;
    if (!next || this.#closed) return;
    const wait = next.job.dueAt - clock.now();
    if (wait > 0 && clock.frozen) return;
    this.#timer = setTimeout(
      () => {
        this.#startDue(clock);
        this.arm(clock);
      },
      Math.min(Math.max(wait, 0), maxTimer),
    );
    withoutHold(this.#timer);
  }

  /** Moves the clock forward to `time` and runs the jobs that fall due on the way one after the other, each at its own time. */
  async advanceTo(clock: MovableClock, time: number): Promise<void> {
    await this.idle();
    for (let next = this.#nextDue(time); next; next = this.#nextDue(time)) {
      if (next.job.dueAt > clock.now()) clock.moveTo(next.job.dueAt);
      await this.#start(next);
      await this.idle();
    }
    if (time > clock.now()) clock.moveTo(time);
    this.arm(clock);
  }

  /**
   * Runs the subject's jobs now, in the order in which they were scheduled, and those that they schedule to start soon. Leaves
   * those that they schedule for later, such as their own repetition.
   */
  async finish(clock: Clock, subject: string): Promise<void> {
    const scheduled = this.#scheduled;
    for (;;) {
      const next = [...(this.#bySubject.get(subject) ?? [])].find(
        ({ running, order, job }) => !running && (order < scheduled || job.dueAt <= clock.now()),
      );
      if (!next) break;
      await this.#start(next);
    }
    this.arm(clock);
  }

  /** Resolves when no job is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Starts jobs again after `close`. */
  reopen(clock: Clock): void {
    this.#closed = false;
    this.arm(clock);
  }

  /** Stops the timer. Running jobs continue, and no others start by themselves. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #nextDue(time: number): Entry | undefined {
    const next = this.#waiting.first;
    return next && next.job.dueAt <= time ? next : undefined;
  }

  #startDue(clock: Clock): void {
    const now = clock.now();
    for (let next = this.#nextDue(now); next; next = this.#nextDue(now)) void this.#start(next);
  }

  #start(entry: Entry, isAwaited = false): Promise<unknown> {
    this.#waiting.remove(entry);
    entry.running = true;
    const done = this.perform(entry.job, isAwaited).finally(() => {
      this.#remove(entry);
      this.#running.delete(done);
    });
    this.#running.add(done);
    return done;
  }

  #add(job: Job): Entry {
    const entry = { job, order: this.#scheduled, running: false };
    this.#scheduled += 1;
    this.#entries.add(entry);
    this.#waiting.add(entry);
    const others = this.#bySubject.get(job.subject);
    if (others) others.add(entry);
    else this.#bySubject.set(job.subject, new Set([entry]));
    return entry;
  }

  /** Removes a job. A running job is not interrupted, but does not run again after a crash. */
  #remove(entry: Entry): void {
    this.#entries.delete(entry);
    if (!entry.running) this.#waiting.remove(entry);
    const { subject } = entry.job;
    const others = this.#bySubject.get(subject);
    if (others?.delete(entry) && others.size === 0) this.#bySubject.delete(subject);
  }
}
