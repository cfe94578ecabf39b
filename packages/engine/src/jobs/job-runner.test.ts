import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { JobRow } from "../context/server-rows.js";
import { type Preload, replay } from "@mgmt/engine/internal";
import { JobClaimedError, SupersededError } from "./job-handler.js";
import { JobRunner, type JobRunnerOptions, type JobTransaction } from "./job-runner.js";

/** Runs steps on a table with these jobs, and records what they ask for. Changes are not stored. */
const transactWith =
  (jobs: readonly JobRow[], asked: Preload[] = []): JobTransaction =>
  (purpose, step, preloads = []) => {
    const transaction = {
      load: (missing: readonly Preload[]) => {
        asked.push(...missing);
        return Promise.resolve(
          missing.map(() => jobs.map((row, sequence) => ({ row, sequence, version: "1" }))),
        );
      },
      commit: () => Promise.resolve(),
      rollback: () => Promise.resolve(),
    };
    return replay({ begin: () => transaction }, ({ tables }) => step(tables.getTable("jobs"), tables), {
      preloads,
      transactionOptions: { mode: purpose === "read" ? "read" : "write", locks: [] },
      isRejection: () => false,
    });
  };

const parts: JobRunnerOptions = {
  transact: transactWith([]),
  sessions: { getCurrentId: () => Promise.resolve("me"), selectLive: () => Promise.resolve(new Set()) },
  findWorkspaces: (jobs) => Promise.resolve(jobs.map(() => "workspace")),
  runJob: () => Promise.resolve(undefined),
  onDefect: (error) => {
    throw error;
  },
  now: () => 1,
};

const job: JobRow = {
  id: "job",
  kind: "database.change",
  subject: "db",
  dueAt: 0,
  owner: "old",
  createdAt: 0,
};

describe("JobRunner", () => {
  it("asks once for the jobs that are due although the time goes on while they are loaded", async () => {
    const asked: Preload[] = [];
    let time = 0;
    let finish: () => void = () => undefined;
    const looked = new Promise<void>((resolve) => (finish = resolve));
    const transact = transactWith([], asked);
    const runner = new JobRunner({
      ...parts,
      transact: (...step) => transact(...step).finally(finish),
      now: () => (time += 1),
    });
    runner.start();
    await looked;
    runner.stop();
    expect(asked).toEqual([expect.objectContaining({ read: "expired", table: "jobs" })]);
  });

  it.for([
    { title: "every other second while there are no jobs", jobs: [], looks: 6 },
    { title: "every second while another process runs one", jobs: [job], looks: 11 },
  ])("looks $title", async ({ jobs, looks }) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const asked: Preload[] = [];
    const runner = new JobRunner({
      ...parts,
      transact: transactWith(jobs, asked),
      sessions: {
        getCurrentId: () => Promise.resolve("me"),
        selectLive: (owners) => Promise.resolve(new Set(owners)),
      },
    });
    runner.start();
    await vi.advanceTimersByTimeAsync(10_000);
    runner.stop();
    expect(asked).toHaveLength(looks);
  });

  it("runs a job once that a look finds before its commit is known to have taken effect", async () => {
    const ended = new Error("done");
    let starts = 0;
    let end: () => void = () => undefined;
    let start: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (start = resolve));
    const runner = new JobRunner({
      ...parts,
      transact: transactWith([job]),
      runJob: () => {
        starts += 1;
        start();
        return new Promise((resolve) => (end = () => resolve(ended)));
      },
    });
    runner.start();
    await started;
    runner.addScheduledJobs([job]);
    const attempt = runner.runNow(job);
    end();
    expect(await attempt).toBe(ended);
    runner.stop();
    expect(starts).toBe(1);
  });

  it.for([
    { owner: "me", isTaken: false },
    { owner: "other", isTaken: true },
  ])("tells whether another process took a job that was superseded: $isTaken", async ({ owner, isTaken }) => {
    const stored = { ...job, owner };
    const runner = new JobRunner({
      ...parts,
      transact: transactWith([stored]),
      runJob: () => Promise.resolve(new SupersededError()),
    });
    const own = { ...job, owner: "me" };
    runner.addScheduledJobs([own]);
    const error = await runner.runNow(own);
    expect(error).toBeInstanceOf(SupersededError);
    expect(error instanceof JobClaimedError).toBe(isTaken);
  });

  it.for([
    { isAwaited: true, runs: ["job"] },
    { isAwaited: false, runs: [] },
  ])(
    "runs a job that waits for its turn after a stop only if a request waits for it: $isAwaited",
    async (test) => {
      const ownJob = { ...job, owner: "me" };
      const runs: string[] = [];
      let giveTurn: () => void = () => undefined;
      let startWaiting: () => void = () => undefined;
      const isWaiting = new Promise<void>((resolve) => (startWaiting = resolve));
      const runner = new JobRunner({
        ...parts,
        transact: transactWith([ownJob]),
        findWorkspaces: () => {
          startWaiting();
          return new Promise((resolve) => (giveTurn = () => resolve(["workspace"])));
        },
        runJob: ({ id }) => Promise.resolve(void runs.push(id)),
      });
      runner.start();
      runner.addScheduledJobs([ownJob]);
      const attempt = test.isAwaited ? runner.runNow(ownJob) : undefined;
      await isWaiting;
      runner.stop();
      giveTurn();
      await attempt;
      await runner.waitUntilIdle();
      expect(runs).toEqual(test.runs);
    },
  );
});
