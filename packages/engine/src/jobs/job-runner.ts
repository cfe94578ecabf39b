import { DatabaseUnavailableError, OutcomeUnknownError } from "../context/database-engine.js";
import type { Sessions } from "../store/records.js";
import type { JobRow, ServerTables, ScheduledJob } from "../context/server-rows.js";
import { JobTakenError, SupersededError } from "./job-handler.js";
import { withoutHold } from "../values/idle-timer.js";
import type { Job } from "../context/scheduler.js";
import { FairSemaphore } from "./fair-semaphore.js";
import type { JobTable } from "./table-scheduler.js";

/**
 * Runs a step on the jobs of all processes, in a transaction. One that takes jobs keeps out others that take jobs.
 *
 * @param ids of jobs that the step reads.
 */
export type JobTransaction = <T>(
  purpose: "read" | "take" | "delete",
  step: (jobs: JobTable, tables: ServerTables) => T,
  ids?: readonly string[],
) => Promise<T>;

export interface JobRunnerParts {
  readonly transact: JobTransaction;
  readonly sessions: Pick<Sessions, "current" | "living">;
  /** Runs a job, and returns its error; undefined when it succeeds. Never rejects. */
  readonly perform: (job: JobRow, isAwaited: boolean) => Promise<unknown>;
  /** Returns the workspaces that jobs work for, in the order of the jobs. Workspaces take turns. */
  readonly workspacesOf: (jobs: readonly ScheduledJob[]) => Promise<string[]>;
  readonly onDefect: (error: unknown) => void;
  /** Returns the time of the server. */
  readonly now: () => number;
}

/** Milliseconds between looks for jobs that are due, or whose process has ended. */
const pollInterval = 1_000;

/** Milliseconds after which a job is repeated that could not reach Postgres. */
const retryDelay = 500;

/** Milliseconds between looks whether another process has ended its jobs. */
const waitInterval = 20;

/** Milliseconds to wait at most for the jobs of other processes. */
const maxWait = 10_000;

/** Maximum number of jobs that one process takes from others and that have not ended. */
const maxRunning = 50;

/** How many jobs of one process work at a time, in total and for each workspace. */
const limits = { total: 16, perKey: 4 };

/** The same for jobs that requests wait for. They do not wait for others, because a deletion cancels the work of another job. */
const awaitedLimits = { total: 32, perKey: 8 };

/** Number of jobs that one look reads: more than all processes run. */
const maxSeen = 500;

/**
 * Runs the jobs of the store that are due. A process runs those that its own transactions schedule for at once, and takes
 * others as they fall due, also those of a process that has ended. A row is removed when its job is done, so a job that a crash
 * interrupts runs again.
 */
export class JobRunner {
  readonly #parts: JobRunnerParts;
  /** Jobs of this process that have not started. */
  readonly #waiting = new Map<string, ScheduledJob>();
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #semaphore = new FairSemaphore(limits);
  readonly #awaitedSemaphore = new FairSemaphore(awaitedLimits);
  #poll: ReturnType<typeof setInterval> | undefined;
  #soon: ReturnType<typeof setImmediate> | undefined;
  #looking: Promise<void> | undefined;
  #isOpen = false;
  #isAdvancing = false;
  /** Whether the last look has left jobs that are due. */
  #hasMore = false;

  constructor(parts: JobRunnerParts) {
    this.#parts = parts;
  }

  /** Begins to look for jobs. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#poll = withoutHold(setInterval(() => this.look(), pollInterval));
    this.look();
    this.#startSoon();
  }

  /** Starts no more jobs. Those that run continue. */
  close(): void {
    this.#isOpen = false;
    clearInterval(this.#poll);
    clearImmediate(this.#soon);
    this.#soon = undefined;
  }

  /** Takes the jobs that a transaction of this process has scheduled. They start soon, but never during this call. */
  adopt(jobs: readonly ScheduledJob[]): void {
    const now = this.#parts.now();
    for (const job of jobs) {
      if (job.owner === null) this.#lookIn(Math.max(0, job.dueAt - now));
      // A commit whose response was lost has stored the job before, and a look has found it.
      else if (!this.#running.has(job.id)) {
        this.#waiting.set(job.id, job);
        this.#startSoon();
      }
    }
  }

  /** Runs a job of this process now, unless it runs already, and resolves with its error. Resolves with undefined when the job is gone. */
  async runNow(job: Job): Promise<unknown> {
    const id = "id" in job ? String(job.id) : "";
    const row = this.#waiting.get(id);
    return row ? this.#start(row, true) : this.#running.get(id);
  }

  /**
   * Runs the subject's jobs now, in the order in which they were scheduled, and those that they schedule to start soon. Waits
   * for those that run already, in any process. Leaves those that cannot reach Postgres, and those that the jobs schedule for
   * later.
   */
  async finish(subject: string): Promise<void> {
    const { transact, now } = this.#parts;
    const left = new Set<string>();
    const scheduled = new Set(await transact("read", (jobs) => jobs.list({ subject }).map(({ id }) => id)));
    const running = (): Promise<unknown>[] => [...scheduled].flatMap((id) => this.#running.get(id) ?? []);
    for (;;) {
      await Promise.all(running());
      const time = now();
      const job = await this.#claim((jobs) =>
        jobs
          .list({ subject })
          .filter(({ id, dueAt }) => !left.has(id) && (scheduled.has(id) || dueAt <= time)),
      );
      if (job === undefined) {
        // One may have started meanwhile.
        if (running().length === 0) return;
      } else if ((await this.#start(job, false)) instanceof DatabaseUnavailableError) left.add(job.id);
    }
  }

  /**
   * Runs the jobs that are due until a time, one after the other. Waits for those that other processes run. Leaves those that
   * cannot reach Postgres.
   *
   * @param onDue called with the time of each job, in the transaction that takes it.
   */
  async advance(time: number, onDue: (dueAt: number, tables: ServerTables) => void): Promise<void> {
    const left = new Set<string>();
    this.#isAdvancing = true;
    try {
      await this.#looking;
      await this.idle();
      for (;;) {
        const isNew = ({ id }: JobRow): boolean => !left.has(id);
        const job = await this.#claim(
          (jobs, isFree) => {
            const first = jobs.listExpired(time, left.size + 1);
            // It is free unless another process has it.
            const isEnough = first.length <= left.size || first.some((job) => isNew(job) && isFree(job));
            return (isEnough ? first : jobs.listExpired(time, left.size + maxSeen)).filter(isNew);
          },
          ({ dueAt }, tables) => onDue(dueAt, tables),
        );
        if (job === undefined) return;
        // It runs alone, so it needs no turn.
        const alone: ScheduledJob = { ...job, workspaceId: "" };
        if ((await this.#start(alone, false)) instanceof DatabaseUnavailableError) left.add(job.id);
        await this.idle();
      }
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** Resolves when this process runs no job. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Looks for jobs that are due and that no living process has. */
  look(): void {
    if (!this.#isOpen || this.#isAdvancing || this.#looking) return;
    this.#looking = this.#takeDue()
      .catch((error: unknown) => {
        // The next look finds the jobs.
        if (!(error instanceof DatabaseUnavailableError)) this.#parts.onDefect(error);
      })
      .finally(() => (this.#looking = undefined));
  }

  async #takeDue(): Promise<void> {
    const { transact, sessions, workspacesOf, now } = this.#parts;
    const me = await sessions.current();
    // Before the step, which runs again until all it reads is there.
    const time = now();
    const due = await transact("read", (jobs) => jobs.listExpired(time, maxSeen));
    const unknown = due.filter(({ id }) => !this.#isKnown(id));
    const others = new Set(unknown.flatMap(({ owner }) => (owner === null || owner === me ? [] : [owner])));
    const living = others.size === 0 ? new Set<string>() : await sessions.living([...others]);
    const free = unknown
      .filter(({ owner }) => owner === null || !living.has(owner))
      .slice(0, Math.max(0, maxRunning - this.#running.size));
    this.#hasMore = due.length === maxSeen || free.length < unknown.length;
    if (free.length === 0) return;
    const workspaces = await workspacesOf(free);
    const claimed = await transact(
      "take",
      (jobs) =>
        free.flatMap(({ id, owner }, index) =>
          jobs.get(id)?.owner === owner && !this.#isKnown(id)
            ? [{ ...jobs.update(id, { owner: me }), workspaceId: workspaces[index] }]
            : [],
        ),
      free.map(({ id }) => id),
    );
    for (const job of claimed) if (!this.#isKnown(job.id)) void this.#start(job, false);
  }

  /**
   * Takes the first of some jobs that no process runs. Waits while living processes have all of them, but not for long: a
   * process has a job also while it cannot reach Postgres.
   *
   * @param take called in the transaction that takes the job.
   */
  async #claim(
    choose: (jobs: JobTable, isFree: (job: JobRow) => boolean) => readonly JobRow[],
    take: (job: JobRow, tables: ServerTables) => void = () => undefined,
  ): Promise<JobRow | undefined> {
    const { transact, sessions } = this.#parts;
    let ended = new Set<string>();
    const waitsUntil = performance.now() + maxWait;
    for (;;) {
      const me = await sessions.current();
      const isFree = ({ id, owner }: JobRow): boolean =>
        (owner === null || owner === me || ended.has(owner)) && !this.#running.has(id);
      const { job, others } = await transact("take", (jobs, tables) => {
        const chosen = choose(jobs, isFree).filter(({ id }) => !this.#running.has(id));
        const free = chosen.find(isFree);
        if (free) take(free, tables);
        return { job: free && jobs.update(free.id, { owner: me }), others: chosen };
      });
      if (job !== undefined || others.length === 0 || performance.now() > waitsUntil) return job;
      const owners = others.flatMap(({ owner }) => owner ?? []);
      const living = await sessions.living(owners);
      ended = new Set(owners.filter((owner) => !living.has(owner)));
      if (ended.size === 0) await new Promise((resolve) => setTimeout(resolve, waitInterval));
    }
  }

  #isKnown(id: string): boolean {
    return this.#waiting.has(id) || this.#running.has(id);
  }

  #startSoon(): void {
    if (!this.#isOpen) return;
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      for (const job of [...this.#waiting.values()]) void this.#start(job, false);
    });
  }

  #lookIn(delay: number): void {
    // The regular look is late by as much as its interval.
    if (this.#isOpen && delay < pollInterval * 10) withoutHold(setTimeout(() => this.look(), delay));
  }

  #start(job: ScheduledJob, isAwaited: boolean): Promise<unknown> {
    this.#waiting.delete(job.id);
    const done = this.#run(job, isAwaited).finally(() => {
      this.#running.delete(job.id);
      if (this.#hasMore && this.#running.size <= maxRunning / 2) this.look();
    });
    this.#running.set(job.id, done);
    return done;
  }

  async #run(job: ScheduledJob, isAwaited: boolean): Promise<unknown> {
    const { perform, transact, onDefect } = this.#parts;
    const wasOpen = this.#isOpen;
    let isLeft = false;
    const error = await this.#runFairly(job, isAwaited, async () => {
      isLeft = wasOpen && !this.#isOpen && !isAwaited;
      return isLeft ? undefined : perform(job, isAwaited);
    });
    // Another process or the next start runs it.
    if (isLeft) return undefined;
    try {
      if (!(error instanceof DatabaseUnavailableError)) {
        const owner = await transact(
          "delete",
          (jobs) => {
            const row = jobs.get(job.id);
            jobs.delete(job.id);
            return row?.owner;
          },
          [job.id],
        );
        return error instanceof SupersededError && owner !== job.owner ? new JobTakenError() : error;
      }
    } catch (failure) {
      if (!(failure instanceof DatabaseUnavailableError)) onDefect(failure);
    }
    // The row is there still, and the job is safe to repeat: by this process, or by another one if this session has ended.
    withoutHold(setTimeout(() => this.look(), retryDelay));
    return error;
  }

  /** Does the work when it is the turn of its workspace, and resolves with its error. */
  async #runFairly(job: ScheduledJob, isAwaited: boolean, work: () => Promise<unknown>): Promise<unknown> {
    const { workspacesOf, onDefect } = this.#parts;
    const semaphore = isAwaited ? this.#awaitedSemaphore : this.#semaphore;
    try {
      const workspaces = job.workspaceId === undefined ? await workspacesOf([job]) : [job.workspaceId];
      return await semaphore.run(workspaces[0] ?? "", work);
    } catch (error) {
      // The job is stored, and runs later.
      if (error instanceof DatabaseUnavailableError)
        return new OutcomeUnknownError("The job could not run", { cause: error });
      onDefect(error);
      return error;
    }
  }
}
