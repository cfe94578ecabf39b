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
  const scheduler = new TableScheduler({ jobs, owner, createId: () => String((count += 1)) });
  return { jobs, scheduler };
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
  it("is left as it is while its process has it, and let through when it was canceled", () => {
    const { jobs, scheduler } = openScheduler("session");
    scheduler.schedule(clock, { kind: "make", subject: "db", delayMs: 0 });
    const [job] = jobs.list({});
    if (job === undefined) throw new Error("There is no job");
    scheduler.requireOwned(job);
    expect(jobs.list({})).toEqual([job]);
    jobs.delete(job.id);
    expect(() => scheduler.requireOwned(job)).not.toThrow();
  });

  it.each([["other"], [null]])("is refused when its owner is %s", (owner) => {
    const { jobs, scheduler } = openScheduler("session");
    scheduler.schedule(clock, { kind: "make", subject: "db", delayMs: 0 });
    const [job] = jobs.list({});
    if (job === undefined) throw new Error("There is no job");
    jobs.update(job.id, { owner });
    expect(() => scheduler.requireOwned(job)).toThrow(LockLostError);
  });
});
