import type { Clock } from "./clock.js";
import type { Job, Scheduler } from "./scheduler.js";

/** A clock that the queue may move while it does the work that falls due on the way. */
interface MovableClock extends Clock {
  readonly frozen: boolean;
  moveTo(time: number): void;
}

interface Entry {
  readonly job: Job;
  running: boolean;
}

/** Longest delay that a timer takes. */
const maxTimer = 2_147_483_647;

/**
 * Jobs in the order in which they fall due. While the clock runs, a timer that does not keep the process alive begins
 * them; while it is frozen, only moving it does. A job stays in the state until it is done, so that one that a crash cut
 * short begins again.
 */
export class JobQueue implements Scheduler {
  #entries: Entry[];
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `perform` does the work of a job and never rejects. */
  constructor(
    private readonly clock: MovableClock,
    private readonly perform: (job: Job) => Promise<void>,
    jobs: readonly Job[],
  ) {
    this.#entries = jobs.map((job) => ({ job, running: false }));
  }

  get state(): Job[] {
    return this.#entries.map(({ job }) => job);
  }

  schedule(kind: string, subject: string, delay: number): void {
    this.#entries.push({ job: { kind, subject, dueAt: this.clock.now() + delay }, running: false });
    this.arm();
  }

  cancel(subject: string, kind?: string): void {
    this.#entries = this.#entries.filter(
      ({ job }) => job.subject !== subject || (kind !== undefined && job.kind !== kind),
    );
    this.arm();
  }

  /** Sets the timer for the next job; to be called at the start, and when the clock was frozen, started or set. */
  arm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const next = this.#next();
    if (!next || this.#closed) return;
    const wait = next.job.dueAt - this.clock.now();
    if (wait > 0 && this.clock.frozen) return;
    this.#timer = setTimeout(
      () => {
        this.#beginDue();
        this.arm();
      },
      Math.min(Math.max(wait, 0), maxTimer),
    );
    this.#timer.unref();
  }

  /** Moves the clock on to `time`, and does each job at its own time on the way; one after the other. */
  async advanceTo(time: number): Promise<void> {
    await this.idle();
    for (let next = this.#next(); next && next.job.dueAt <= time; next = this.#next()) {
      if (next.job.dueAt > this.clock.now()) this.clock.moveTo(next.job.dueAt);
      await this.#begin(next);
      await this.idle();
    }
    if (time > this.clock.now()) this.clock.moveTo(time);
    this.arm();
  }

  /** Does the subject's jobs now, and those that they make, whatever their time. */
  async finish(subject: string): Promise<void> {
    for (;;) {
      const next = this.#entries.find(({ job, running }) => job.subject === subject && !running);
      if (!next) break;
      await this.#begin(next);
    }
    this.arm();
  }

  /** Resolves when no job is being done. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Jobs begin again after `close`. */
  reopen(): void {
    this.#closed = false;
    this.arm();
  }

  /** No job begins any more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #next(): Entry | undefined {
    let next: Entry | undefined;
    for (const entry of this.#entries) {
      if (!entry.running && (!next || entry.job.dueAt < next.job.dueAt)) next = entry;
    }
    return next;
  }

  #beginDue(): void {
    const now = this.clock.now();
    for (let next = this.#next(); next && next.job.dueAt <= now; next = this.#next()) void this.#begin(next);
  }

  #begin(entry: Entry): Promise<void> {
    entry.running = true;
    const done = this.perform(entry.job).finally(() => {
      this.#entries = this.#entries.filter((other) => other !== entry);
      this.#running.delete(done);
    });
    this.#running.add(done);
    return done;
  }
}
