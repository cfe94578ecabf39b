import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../values/clock.js";
import { type OpenQueue, openQueue } from "../../test/jobs/open-queue.js";
import type { Job, JobSelection, NewJob } from "../context/scheduler.js";

/** The effect of a job: it schedules another one, of the same or another subject, or cancels some. */
type Effect = (queue: Pick<ModelQueue, "schedule" | "cancel">) => void;

const effectOf = (job: Job): Effect => {
  if (job.kind === "again")
    return (queue) => queue.schedule({ kind: "once", subject: job.subject, delayMs: 3 });
  if (job.kind === "continues")
    return (queue) => queue.schedule({ kind: "once", subject: job.subject, delayMs: 0 });
  if (job.kind === "cancels") return (queue) => queue.cancel({ subject: "a" });
  return () => undefined;
};

/** A model of the queue: a plain array, which is searched for every job. */
class ModelQueue {
  jobs: Job[] = [];
  now = 0;
  readonly done: string[] = [];

  schedule({ kind, subject, delayMs }: NewJob): Job {
    const job = { kind, subject, dueAt: delayMs === 0 ? 0 : this.now + delayMs };
    this.jobs.push(job);
    return job;
  }

  cancel({ subject, kind }: JobSelection): void {
    this.jobs = this.jobs.filter(
      (job) => job.subject !== subject || (kind !== undefined && job.kind !== kind),
    );
  }

  advanceTo(time: number): void {
    for (;;) {
      const due = Math.min(...this.jobs.map(({ dueAt }) => dueAt));
      const next = this.jobs.find(({ dueAt }) => dueAt === due);
      if (!next || due > time) break;
      this.now = Math.max(this.now, due);
      this.#run(next);
    }
    this.now = Math.max(this.now, time);
  }

  finish(subject: string): void {
    const pending = [...this.jobs];
    for (;;) {
      const next = this.jobs.find(
        (job) => job.subject === subject && (pending.includes(job) || job.dueAt <= this.now),
      );
      if (!next) return;
      this.#run(next);
    }
  }

  #run(job: Job): void {
    this.done.push(`${job.kind} ${job.subject} ${String(this.now)}`);
    effectOf(job)(this);
    this.jobs = this.jobs.filter((other) => other !== job);
  }
}

const subject = fc.constantFrom("a", "b", "c");
const kind = fc.constantFrom("once", "again", "continues", "cancels");
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("schedule" as const),
      job: fc.record({ kind, subject, delayMs: fc.nat(5) }),
    }),
  },
  fc.record({ do: fc.constant("cancel" as const), subject, kind: fc.option(kind, { nil: undefined }) }),
  fc.record({ do: fc.constant("advance" as const), by: fc.nat(6) }),
  fc.record({ do: fc.constant("finish" as const), subject }),
  fc.record({ do: fc.constant("restart" as const) }),
);

describe("the job queue", () => {
  it("runs, cancels and stores the same jobs in the same order as an array would", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = new VirtualClock({ frozenAt: 0 });
        const done: string[] = [];
        const model = new ModelQueue();
        const open = (jobs: readonly Job[]): OpenQueue =>
          openQueue(
            async (job, opened) => {
              done.push(`${job.kind} ${job.subject} ${String(clock.now())}`);
              await Promise.resolve();
              effectOf(job)(opened);
            },
            jobs,
            clock,
          );
        let jobs = open([]);
        for (const step of steps) {
          switch (step.do) {
            case "schedule":
              jobs.schedule(step.job);
              model.schedule(step.job);
              break;
            case "cancel":
              jobs.cancel(step);
              model.cancel(step);
              break;
            case "advance":
              await jobs.queue.advanceTo(clock.now() + step.by);
              model.advanceTo(model.now + step.by);
              break;
            case "finish":
              await jobs.queue.finishJobs(step.subject);
              model.finish(step.subject);
              break;
            case "restart":
              jobs.queue.stop();
              jobs = open(jobs.state());
          }
          expect(done).toEqual(model.done);
          expect(jobs.state()).toEqual(model.jobs);
          expect(clock.now()).toBe(model.now);
        }
        jobs.queue.stop();
      }),
      { numRuns: 300 },
    );
  });

  it("runs jobs that are due at the same time in the order in which they were scheduled, after a restart too", async () => {
    const first = openQueue(() => undefined);
    const subjects = Array.from({ length: 1_000 }, (_, index) => `subject ${String(index)}`);
    for (const subject of subjects) first.schedule({ kind: "kind", subject, delayMs: 5 });
    first.queue.stop();
    const done: string[] = [];
    const second = openQueue((job) => void done.push(job.subject), first.state());
    await second.queue.advanceTo(5);
    expect(done).toEqual(subjects);
  });

  it("excludes a canceled job that is running from the state, and runs it to its end", async () => {
    let ended = false;
    const jobs = openQueue(async () => {
      jobs.cancel({ subject: "a" });
      expect(jobs.state()).toEqual([]);
      await Promise.resolve();
      ended = true;
    });
    jobs.schedule({ kind: "kind", subject: "a", delayMs: 1 });
    await jobs.queue.advanceTo(1);
    expect([ended, jobs.state()]).toEqual([true, []]);
  });
});
