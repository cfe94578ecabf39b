import { describe, expect, it } from "vitest";
import { LockLostError } from "../context/database-engine.js";
import { type JobRow, serverTables } from "../context/server-rows.js";
import { MemoryExpiringCollection } from "../store/memory-collection.js";
import { VirtualClock } from "../values/clock.js";
import { type JobLookup, TableScheduler } from "./table-scheduler.js";

const clock = new VirtualClock({ frozenAt: 1_000 });

const openScheduler = (owner: string | null = null) => {
  const jobs = new MemoryExpiringCollection<JobRow, JobLookup>(serverTables.jobs.keys, () => undefined);
  let count = 0;
  const completedIds: string[] = [];
  const scheduler = new TableScheduler({
    ...{ jobs, owner, createId: () => String((count += 1)) },
    onComplete: (id) => completedIds.push(id),
  });
  return { jobs, scheduler, completedIds };
};

describe("a job that is repeated", () => {
  it.each([
    [undefined, 1, 250],
    [1, 2, 500],
    [3, 4, 2_000],
    [50, 51, 2_500],
  ])("after %s outages waits up to twice as long, to a maximum", (outages, nextOutages, delay) => {
    const { jobs, scheduler } = openScheduler("session");
    const job = { kind: "make", subject: "db", change: "c", dueAt: 0, ...(outages && { outages }) };
    scheduler.repeat(clock, job, 0.5);
    expect(jobs.list({})).toMatchObject([
      { kind: "make", subject: "db", change: "c", owner: null, outages: nextOutages, dueAt: 1_000 + delay },
    ]);
  });
});

describe("a job whose result is stored", () => {
  it("is removed while its process has it, and let through when it was canceled", () => {
    const { jobs, scheduler, completedIds } = openScheduler("session");
    scheduler.schedule(clock, { kind: "make", subject: "db", delayMs: 0 });
    const [job] = jobs.list({});
    if (job === undefined) throw new Error("There is no job");
    scheduler.complete(job);
    expect([jobs.list({}), completedIds]).toEqual([[], [job.id]]);
    expect(() => scheduler.complete(job)).not.toThrow();
    expect(completedIds).toEqual([job.id]);
  });

  it.each([["other"], [null]])("is refused when its owner is %s", (owner) => {
    const { jobs, scheduler } = openScheduler("session");
    scheduler.schedule(clock, { kind: "make", subject: "db", delayMs: 0 });
    const [job] = jobs.list({});
    if (job === undefined) throw new Error("There is no job");
    jobs.update(job.id, { owner });
    expect(() => scheduler.complete(job)).toThrow(LockLostError);
  });
});
