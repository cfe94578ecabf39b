import { DatabaseUnavailableError, OutcomeUnknownError } from "../context/database-engine.js";
import type { Preload } from "../store/preload.js";
import type { Sessions } from "../store/records.js";
import type { JobRow, ServerTables, ScheduledJob } from "../context/server-rows.js";
import {
  buildFailedFields,
  buildClaimFields,
  createDeadJobError,
  describeError,
  isDead,
  resetFailedJobs,
} from "./job-attempts.js";
import { JobClaimedError, StoredFailureError, SupersededError } from "./job-handler.js";
import { unrefTimer } from "../values/idle-timer.js";
import type { Job } from "../context/scheduler.js";
import { FairSemaphore } from "./fair-semaphore.js";
import { PostponedJobs } from "./postponed-jobs.js";
import type { JobTable } from "./table-scheduler.js";

/**
 * Runs a callback on the jobs of all processes, in a transaction. Only one transaction at a time claims jobs.
 *
 * @param preloads the rows that the callback reads. They save a round trip.
 */
export type JobTransaction = <T>(
  purpose: "read" | "claim" | "end",
  callback: (jobs: JobTable, tables: ServerTables) => T,
  preloads?: readonly Preload[],
) => Promise<T>;

export interface JobRunnerOptions {
  readonly transact: JobTransaction;
  readonly sessions: Pick<Sessions, "getCurrentId" | "selectLive">;
  /** Runs a job, and returns its error; undefined when it succeeds. Never rejects. */
  readonly runJob: (job: JobRow, isAwaited: boolean) => Promise<unknown>;
  /** Returns the workspaces that jobs work for, in the order of the jobs. Workspaces take turns. */
  readonly findWorkspaces: (jobs: readonly ScheduledJob[]) => Promise<string[]>;
  readonly onDefect: (error: unknown) => void;
  /** Returns the time of the server. */
  readonly now: () => number;
}

/** Milliseconds between polls for jobs that are due, or whose process has exited. Doubled after a poll that has found none. */
const pollIntervalMs = 1_000;

/** Milliseconds between checks whether another process has finished its jobs. */
const ownerCheckIntervalMs = 20;

/** Milliseconds to wait at most for the jobs of other processes. */
const maxWaitMs = 10_000;

/** Errors after which a job is done. */
const completingErrors = [SupersededError, StoredFailureError];

/** Maximum number of unfinished jobs that one process claims from others. */
const maxRunningJobs = 50;

/** How many jobs of one process work at a time, in total and for each workspace. */
const concurrencyLimits = { maxTotal: 16, perKey: 4 };

/** The same for jobs that requests wait for. They do not wait for others, because a deletion cancels the work of another job. */
const awaitedConcurrencyLimits = { maxTotal: 32, perKey: 8 };

/** Number of jobs that one poll reads: more than all processes run. */
const maxJobsPerPoll = 500;

/**
 * Runs the jobs of the store that are due. A process runs those that its own transactions schedule for immediately, and claims others as
 * they fall due, including jobs of a process that has exited. A row is removed when its job is done, by the transaction with its result if
 * it has one, so a job that a crash interrupts runs again.
 *
 * A job that fails is repeated after a delay, and is dead after some attempts: its row stays, and nothing waits for it. An attempt also
 * counts when the process ends that has the job, because the job may have ended it. A job that cannot reach Postgres is repeated for as
 * long as that lasts.
 */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  /** Jobs of this process that have not started. */
  readonly #waitingJobs = new Map<string, ScheduledJob>();
  readonly #runningJobs = new Map<string, Promise<unknown>>();
  /** Jobs that run, and whose rows were removed together with the storage of their results. */
  readonly #completedIds = new Set<string>();
  readonly #postponedJobs = new PostponedJobs();
  /** The sessions that this process has had. */
  readonly #ownSessions = new Set<string>();
  readonly #semaphore = new FairSemaphore(concurrencyLimits);
  readonly #awaitedSemaphore = new FairSemaphore(awaitedConcurrencyLimits);
  #pollTimer: ReturnType<typeof setInterval> | undefined;
  #startImmediate: ReturnType<typeof setImmediate> | undefined;
  #currentPoll: Promise<void> | undefined;
  #isStarted = false;
  #isAdvancing = false;
  /** Whether the next regular poll is skipped, because the last one has found no job that is due or runs, in any process. */
  #skipsPoll = false;
  /** Whether the last poll has left jobs that are due. */
  #hasMore = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** Starts polling for jobs. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#pollTimer = unrefTimer(setInterval(() => this.#poll(), pollIntervalMs));
    this.pollDueJobs();
    this.#startWaitingJobsSoon();
  }

  /** Starts no more jobs. Those that run continue. */
  stop(): void {
    this.#isStarted = false;
    clearInterval(this.#pollTimer);
    clearImmediate(this.#startImmediate);
    this.#startImmediate = undefined;
  }

  /** Takes the jobs that a transaction of this process has scheduled. They start soon, but never during this call. */
  addScheduledJobs(jobs: readonly ScheduledJob[]): void {
    const now = this.#options.now();
    for (const job of jobs) {
      if (job.owner === null) this.#schedulePoll(Math.max(0, job.dueAt - now));
      // A commit whose response was lost has stored the job before, and a poll has found it.
      else if (!this.#runningJobs.has(job.id)) {
        this.#waitingJobs.set(job.id, job);
        this.#startWaitingJobsSoon();
      }
    }
  }

  /** Learns that a transaction has removed the rows of jobs of this process, together with the storage of their results. */
  addCompletedJobs(ids: readonly string[]): void {
    for (const id of ids) if (this.#runningJobs.has(id)) this.#completedIds.add(id);
  }

  /**
   * Runs a job of this process now, unless it runs already, and resolves with its error. Resolves with undefined if the job no longer
   * exists.
   */
  async runNow(job: Job): Promise<unknown> {
    const id = "id" in job ? String(job.id) : "";
    const row = this.#waitingJobs.get(id);
    return row ? this.#startJob(row, true) : this.#runningJobs.get(id);
  }

  /**
   * Runs the subject's jobs now, in the order in which they were scheduled, and those that they schedule to start soon. Waits
   * for those that run already, in any process. Runs each once: leaves those that fail or cannot reach Postgres, those that are dead, and
   * those that the jobs schedule for later.
   */
  async finishJobs(subject: string): Promise<void> {
    const { transact, now } = this.#options;
    const skippedIds = new Set<string>();
    const scheduledIds = new Set(
      await transact("read", (jobs) => jobs.list({ subject }).map(({ id }) => id)),
    );
    const listRunningJobs = (): Promise<unknown>[] =>
      [...scheduledIds].flatMap((id) => this.#runningJobs.get(id) ?? []);
    for (;;) {
      await Promise.all(listRunningJobs());
      const time = now();
      const job = await this.#claimFirstJob((jobs) =>
        jobs
          .list({ subject })
          .filter(
            (row) =>
              !skippedIds.has(row.id) && !isDead(row) && (scheduledIds.has(row.id) || row.dueAt <= time),
          ),
      );
      if (job === undefined) {
        // A job may have started in the meantime.
        if (listRunningJobs().length === 0) return;
      } else {
        skippedIds.add(job.id);
        await this.#startJob(job, false);
      }
    }
  }

  /**
   * Runs the jobs that are due until a time, one after the other. Waits for those that other processes run. Leaves those that
   * cannot reach Postgres.
   *
   * @param onDue called with the time of each job, in the transaction that claims it.
   */
  async advanceTo(time: number, onDue: (dueAt: number, tables: ServerTables) => void): Promise<void> {
    const skippedIds = new Set<string>();
    this.#isAdvancing = true;
    try {
      await this.#currentPoll;
      await this.waitUntilIdle();
      for (;;) {
        const isNew = ({ id }: JobRow): boolean => !skippedIds.has(id);
        const job = await this.#claimFirstJob(
          (jobs, isFree) => {
            const dueJobs = jobs.listExpired(time, skippedIds.size + 1);
            // A listed job is free unless another process has claimed it.
            const isEnough =
              dueJobs.length <= skippedIds.size || dueJobs.some((job) => isNew(job) && isFree(job));
            return (isEnough ? dueJobs : jobs.listExpired(time, skippedIds.size + maxJobsPerPoll)).filter(
              isNew,
            );
          },
          ({ dueAt }, tables) => onDue(dueAt, tables),
        );
        if (job === undefined) return;
        // Jobs run one by one here, so the job does not wait for the turn of its workspace.
        const jobWithoutTurn: ScheduledJob = { ...job, workspaceId: "" };
        if ((await this.#startJob(jobWithoutTurn, false)) instanceof DatabaseUnavailableError)
          skippedIds.add(job.id);
        await this.waitUntilIdle();
      }
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** Returns all jobs, oldest first. */
  listJobs(): Promise<JobRow[]> {
    return this.#options.transact("read", (jobs) => jobs.list({}));
  }

  /**
   * Lets failed jobs run again that no process has.
   *
   * @param ids default: the ids of all dead jobs.
   * @returns the ids of those that run again.
   */
  async retryJobs(ids?: readonly string[]): Promise<string[]> {
    const retriedIds = await this.#options.transact(
      "claim",
      (jobs) => resetFailedJobs(jobs, ids),
      toPreloads(ids ?? []),
    );
    this.pollDueJobs();
    return retriedIds;
  }

  /** Resolves when this process runs no job. */
  async waitUntilIdle(): Promise<void> {
    while (this.#runningJobs.size > 0) await Promise.all(this.#runningJobs.values());
  }

  #poll(): void {
    if (this.#skipsPoll) this.#skipsPoll = false;
    else this.pollDueJobs();
  }

  /** Polls for jobs that are due and that no running process runs. */
  pollDueJobs(): void {
    if (!this.#isStarted || this.#isAdvancing || this.#currentPoll) return;
    this.#currentPoll = this.#claimDueJobs()
      .catch((error: unknown) => {
        // The next poll finds the jobs.
        if (!(error instanceof DatabaseUnavailableError)) this.#options.onDefect(error);
      })
      .finally(() => (this.#currentPoll = undefined));
  }

  async #claimDueJobs(): Promise<void> {
    const { transact, sessions, findWorkspaces, now } = this.#options;
    const currentSession = await this.#getCurrentSession();
    // Before the callback, which runs again until all it reads is there.
    const time = now();
    const dueJobs = await transact("read", (jobs) => jobs.listExpired(time, maxJobsPerPoll), [
      { read: "expired", table: "jobs", time, limit: maxJobsPerPoll },
    ]);
    this.#skipsPoll = dueJobs.length === 0;
    if (dueJobs.length < maxJobsPerPoll)
      this.#postponedJobs.deleteAllExcept(new Set(dueJobs.map(({ id }) => id)));
    const newJobs = dueJobs.filter(({ id }) => !this.#hasJob(id) && !this.#postponedJobs.has(id));
    const otherOwners = new Set(
      newJobs.flatMap(({ owner }) => (owner === null || owner === currentSession ? [] : [owner])),
    );
    const liveOwners =
      otherOwners.size === 0 ? new Set<string>() : await sessions.selectLive([...otherOwners]);
    const freeJobs = newJobs
      .filter(({ owner }) => owner === null || !liveOwners.has(owner))
      .slice(0, Math.max(0, maxRunningJobs - this.#runningJobs.size));
    this.#hasMore = dueJobs.length === maxJobsPerPoll || freeJobs.length < newJobs.length;
    if (freeJobs.length === 0) return;
    const workspaces = await findWorkspaces(freeJobs);
    const ownProcess = { currentSession, ownSessions: this.#ownSessions };
    const random = Math.random();
    const claimedJobs = await transact(
      "claim",
      (jobs) =>
        freeJobs.flatMap(({ id, owner }, index) => {
          const row = jobs.get(id);
          if (row?.owner !== owner || this.#hasJob(id)) return [];
          const fields = buildClaimFields(row, ownProcess, { time, random, isDelayed: true });
          return [{ ...jobs.update(id, fields), workspaceId: workspaces[index] }];
        }),
      toPreloads(freeJobs.map(({ id }) => id)),
    );
    for (const job of claimedJobs) {
      if (isDead(job)) this.#options.onDefect(createDeadJobError(job));
      else if (job.owner !== null && !this.#hasJob(job.id)) void this.#startJob(job, false);
    }
  }

  async #getCurrentSession(): Promise<string> {
    const id = await this.#options.sessions.getCurrentId();
    this.#ownSessions.add(id);
    return id;
  }

  /**
   * Claims the first of some jobs that no process runs. Waits while running processes have claimed all of them, but not for long: a
   * process keeps its claim even while it cannot reach Postgres.
   *
   * @param onClaim called in the transaction that claims the job.
   */
  async #claimFirstJob(
    chooseJobs: (jobs: JobTable, isFree: (job: JobRow) => boolean) => readonly JobRow[],
    onClaim: (job: JobRow, tables: ServerTables) => void = () => undefined,
  ): Promise<JobRow | undefined> {
    const { transact, sessions, now, onDefect } = this.#options;
    let deadOwners = new Set<string>();
    const waitDeadline = performance.now() + maxWaitMs;
    for (;;) {
      const currentSession = await this.#getCurrentSession();
      const ownProcess = { currentSession, ownSessions: this.#ownSessions };
      const attempt = { time: now(), random: 0, isDelayed: false };
      const isFree = ({ id, owner }: JobRow): boolean =>
        (owner === null || owner === currentSession || deadOwners.has(owner)) && !this.#runningJobs.has(id);
      const { job, candidates } = await transact("claim", (jobs, tables) => {
        const candidates = chooseJobs(jobs, isFree).filter(({ id }) => !this.#runningJobs.has(id));
        const freeJob = candidates.find(isFree);
        if (freeJob === undefined) return { job: undefined, candidates };
        onClaim(freeJob, tables);
        const fields = buildClaimFields(freeJob, ownProcess, attempt);
        return { job: jobs.update(freeJob.id, fields), candidates };
      });
      if (job !== undefined && isDead(job)) {
        onDefect(createDeadJobError(job));
        continue;
      }
      if (job !== undefined || candidates.length === 0 || performance.now() > waitDeadline) return job;
      const owners = candidates.flatMap(({ owner }) => owner ?? []);
      const liveOwners = await sessions.selectLive(owners);
      deadOwners = new Set(owners.filter((owner) => !liveOwners.has(owner)));
      if (deadOwners.size === 0) await new Promise((resolve) => setTimeout(resolve, ownerCheckIntervalMs));
    }
  }

  #hasJob(id: string): boolean {
    return this.#waitingJobs.has(id) || this.#runningJobs.has(id);
  }

  #startWaitingJobsSoon(): void {
    if (!this.#isStarted) return;
    this.#startImmediate ??= setImmediate(() => {
      this.#startImmediate = undefined;
      for (const job of [...this.#waitingJobs.values()]) void this.#startJob(job, false);
    });
  }

  #schedulePoll(delayMs: number): void {
    // The regular poll is late by up to its interval.
    if (this.#isStarted && delayMs < pollIntervalMs * 10)
      unrefTimer(setTimeout(() => this.pollDueJobs(), delayMs));
  }

  #startJob(job: ScheduledJob, isAwaited: boolean): Promise<unknown> {
    this.#waitingJobs.delete(job.id);
    const jobDone = this.#runJob(job, isAwaited).finally(() => {
      this.#runningJobs.delete(job.id);
      this.#completedIds.delete(job.id);
      if (this.#hasMore && this.#runningJobs.size <= maxRunningJobs / 2) this.pollDueJobs();
    });
    this.#runningJobs.set(job.id, jobDone);
    return jobDone;
  }

  async #runJob(job: ScheduledJob, isAwaited: boolean): Promise<unknown> {
    const { runJob, onDefect } = this.#options;
    const wasStarted = this.#isStarted;
    let isLeftToOthers = false;
    const error = await this.#runFairly(job, isAwaited, async () => {
      isLeftToOthers = wasStarted && !this.#isStarted && !isAwaited;
      return isLeftToOthers ? undefined : runJob(job, isAwaited);
    });
    // Another process or the next start runs it.
    if (isLeftToOthers) return undefined;
    if (this.#completedIds.has(job.id)) {
      this.#postponedJobs.delete(job.id);
      return error;
    }
    try {
      if (error instanceof DatabaseUnavailableError) this.#postpone(job.id);
      else if (error === undefined || isAwaited || completingErrors.some((type) => error instanceof type)) {
        const owner = await this.#deleteJob(job.id);
        return error instanceof SupersededError && owner !== job.owner ? new JobClaimedError() : error;
      } else await this.#storeFailure(job, error);
    } catch (failure) {
      if (!(failure instanceof DatabaseUnavailableError)) onDefect(failure);
      // The row is there still, and the job is safe to repeat: by this process, or by another one if this session is closed.
      this.#postpone(job.id);
    }
    return error;
  }

  /** Returns the owner that the row of the job had. */
  async #deleteJob(id: string): Promise<string | null | undefined> {
    const owner = await this.#options.transact(
      "end",
      (jobs) => {
        const row = jobs.get(id);
        jobs.delete(id);
        return row?.owner;
      },
      toPreloads([id]),
    );
    this.#postponedJobs.delete(id);
    return owner;
  }

  /** Counts an attempt that has failed, unless the job was canceled or another process has it. */
  async #storeFailure({ id, owner }: JobRow, error: unknown): Promise<void> {
    const { transact, now, onDefect } = this.#options;
    const failure = { lastError: describeError(error), time: now(), random: Math.random() };
    const row = await transact(
      "end",
      (jobs) => {
        const job = jobs.get(id);
        return job?.owner === owner ? jobs.update(id, buildFailedFields(job, failure)) : undefined;
      },
      toPreloads([id]),
    );
    this.#postponedJobs.delete(id);
    if (row === undefined) return;
    if (isDead(row)) onDefect(createDeadJobError(row));
    else this.#schedulePoll(row.dueAt - failure.time);
  }

  #postpone(id: string): void {
    const delayMs = this.#postponedJobs.postpone(id);
    unrefTimer(setTimeout(() => this.pollDueJobs(), delayMs));
  }

  /** Runs the callback when it is the turn of its workspace, and resolves with its error. */
  async #runFairly(
    job: ScheduledJob,
    isAwaited: boolean,
    callback: () => Promise<unknown>,
  ): Promise<unknown> {
    const { findWorkspaces, onDefect } = this.#options;
    const semaphore = isAwaited ? this.#awaitedSemaphore : this.#semaphore;
    try {
      const workspaces = job.workspaceId === undefined ? await findWorkspaces([job]) : [job.workspaceId];
      return await semaphore.run(workspaces[0] ?? "", callback);
    } catch (error) {
      // The job is stored, and runs later.
      if (error instanceof DatabaseUnavailableError)
        return new OutcomeUnknownError("The job could not run", { cause: error });
      onDefect(error);
      return error;
    }
  }
}

const toPreloads = (ids: readonly string[]): Preload[] =>
  ids.map((id) => ({ read: "row", table: "jobs", id }));
