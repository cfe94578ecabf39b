import { afterEach, describe, expect, it, vi } from "vitest";
import { DatabaseUnavailableError } from "../../src/context/database-engine.js";
import { type JobRow, type ServerTables, serverTables } from "../../src/context/server-rows.js";
import { MemoryExpiringCollection } from "../../src/store/memory-collection.js";
import { neverDueAt } from "../../src/jobs/job-attempts.js";
import { DeadJobError } from "../../src/jobs/job-handler.js";
import { JobRunner, type JobRunnerOptions } from "../../src/jobs/job-runner.js";
import type { JobLookup } from "../../src/jobs/table-scheduler.js";

/** A row as the first version stored it. */
const job: JobRow = { id: "job", kind: "kind", subject: "db", dueAt: 0, owner: null, createdAt: 0 };

const noTables: ServerTables = {
  getTable: () => {
    throw new Error("Only the table of jobs exists");
  },
  countInRateWindow: () => {
    throw new Error("There is no rate limit");
  },
};

/** Returns a runner of jobs in memory. The other processes have ended. */
const open = (rows: readonly JobRow[], runJob: JobRunnerOptions["runJob"]) => {
  const table = new MemoryExpiringCollection<JobRow, JobLookup>(serverTables.jobs.keys, () => undefined);
  table.restore({ next: rows.length + 1, rows: rows.map((row, index) => [index + 1, row]) });
  const defects: unknown[] = [];
  const process = { session: "me", time: 1_000 };
  const runner = new JobRunner({
    transact: (_purpose, step) => Promise.resolve().then(() => step(table, noTables)),
    sessions: {
      getCurrentId: () => Promise.resolve(process.session),
      selectLive: (ids) => Promise.resolve(new Set(ids.filter((id) => id === process.session))),
    },
    runJob,
    findWorkspaces: (jobs) => Promise.resolve(jobs.map(() => "workspace")),
    onDefect: (error) => defects.push(error),
    now: () => process.time,
  });
  const advanceTo = (time: number): Promise<void> =>
    runner.advanceTo(time, (dueAt) => (process.time = Math.max(process.time, dueAt)));
  return { runner, table, defects, process, advanceTo };
};

const hourMs = 3_600_000;

describe("a job that fails", () => {
  it("is repeated until it is dead, which nothing waits for, and runs again when it is retried", async () => {
    let error: Error | undefined = Object.assign(new TypeError("secret"), { code: "X1" });
    let starts = 0;
    const { runner, table, defects, process, advanceTo } = open([job], () => {
      starts += 1;
      return Promise.resolve(error);
    });
    await advanceTo(1_000);
    expect(table.get("job")).toMatchObject({ attempts: 1, owner: null, lastError: "TypeError X1" });
    expect(table.get("job")?.dueAt).toBeGreaterThanOrEqual(1_000);
    await advanceTo(hourMs);
    const row = {
      attempts: 10,
      owner: null,
      lastError: "TypeError X1",
      dueAt: neverDueAt,
      diedAt: process.time,
    };
    expect(table.get("job")).toMatchObject(row);
    expect(defects).toEqual([expect.any(DeadJobError)]);
    expect(String(defects[0])).toBe(
      "DeadJobError: The job job (kind of db) is not repeated, because 10 attempts have failed. " +
        "The last error: TypeError X1. Retry the job when its cause is gone.",
    );

    await runner.finishJobs("db");
    await advanceTo(1_000 * hourMs);
    expect(starts).toBe(10);

    error = undefined;
    expect(await runner.retryJobs(["other"])).toEqual([]);
    expect(await runner.retryJobs()).toEqual(["job"]);
    expect(table.get("job")).toEqual({ ...job, attempts: 0, lastError: "TypeError X1" });
    expect(await runner.retryJobs()).toEqual([]);
    await runner.finishJobs("db");
    expect([starts, table.size]).toEqual([11, 0]);
  });

  it("runs once for a request that finishes the jobs of its subject", async () => {
    let starts = 0;
    const { runner, table } = open([job], () =>
      Promise.resolve(new Error(`failure ${String((starts += 1))}`)),
    );
    await runner.finishJobs("db");
    expect([starts, table.get("job")?.attempts]).toEqual([1, 1]);
  });

  it("is retried by its id before it is dead, but not while a process has it", async () => {
    const { runner, table } = open(
      [
        { ...job, id: "failed", attempts: 3, dueAt: hourMs },
        { ...job, id: "running", attempts: 3, owner: "me" },
        { ...job, id: "later", dueAt: hourMs },
      ],
      () => Promise.resolve(undefined),
    );
    expect(await runner.retryJobs(["failed", "running", "later", "none"])).toEqual(["failed"]);
    expect(table.get("failed")).toMatchObject({ attempts: 0, dueAt: 0 });
    expect(table.get("later")?.dueAt).toBe(hourMs);
  });

  it("is removed when a request receives the error", async () => {
    const error = new Error("failure");
    const { runner, table } = open([{ ...job, owner: "me" }], () => Promise.resolve(error));
    runner.addScheduledJobs([{ ...job, owner: "me" }]);
    expect(await runner.runNow(job)).toBe(error);
    expect(table.size).toBe(0);
  });

  it("does not count where another process has taken the job meanwhile", async () => {
    const { runner, table, defects } = open([job], () => {
      table.update("job", { owner: "other" });
      return Promise.resolve(new Error("failure"));
    });
    await runner.finishJobs("db");
    expect(table.get("job")).toEqual({ ...job, owner: "other" });
    expect(defects).toEqual([]);
  });
});

describe("a job that cannot reach Postgres", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("is repeated with growing delays, also under a new session, and never counts as failed", async () => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(1);
    const starts: number[] = [];
    const start = performance.now();
    const { runner, table, defects, process } = open([job], () => {
      starts.push((performance.now() - start) / 1_000);
      return Promise.resolve(new DatabaseUnavailableError("Postgres is away"));
    });
    runner.start();
    await vi.advanceTimersByTimeAsync(10_000);
    process.session = "me again";
    await vi.advanceTimersByTimeAsync(10_000);
    expect(starts).toEqual([0, 0.5, 1.5, 3.5, 7.5, 12.5, 17.5]);
    await vi.advanceTimersByTimeAsync(hourMs);
    expect(starts.length).toBeLessThan(hourMs / 5_000 + 10);
    expect([table.get("job"), defects]).toEqual([{ ...job, owner: "me again" }, []]);
    runner.stop();
  });
});

describe("a job whose process has ended", () => {
  it.for([
    { attempts: undefined, result: "runs", isLeft: false },
    { attempts: 0, result: "runs", isLeft: false },
    { attempts: 1, result: "is delayed", isLeft: true },
    { attempts: 9, result: "is dead", isLeft: true },
  ])("$result after $attempts attempts", async ({ attempts, isLeft }) => {
    vi.useFakeTimers();
    const row = { ...job, owner: "ended", ...(attempts !== undefined && { attempts }) };
    const states: (JobRow | undefined)[] = [];
    const { runner, table, defects } = open([row], () => {
      states.push(table.get("job"));
      return Promise.resolve(undefined);
    });
    runner.start();
    await vi.advanceTimersByTimeAsync(0);
    runner.stop();
    vi.useRealTimers();
    const counted = { attempts: (attempts ?? 0) + 1, lastError: "ProcessEnded" };
    if (isLeft) {
      expect(states).toEqual([]);
      expect(table.get("job")).toMatchObject({ ...counted, owner: null });
    } else expect(states).toEqual([expect.objectContaining({ ...counted, owner: "me" })]);
    expect(defects).toEqual(attempts === 9 ? [expect.any(DeadJobError)] : []);
  });

  it("is dead for a request, too, which does not wait for it", async () => {
    let starts = 0;
    const { runner, table, defects } = open([{ ...job, owner: "ended", attempts: 9 }], () => {
      starts += 1;
      return Promise.resolve(undefined);
    });
    await runner.finishJobs("db");
    expect([starts, table.get("job")?.attempts, defects.length]).toEqual([0, 10, 1]);
  });
});
