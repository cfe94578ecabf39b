import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../src/values/clock.js";
import { JobQueue } from "../../src/jobs/job-queue.js";
import type { Job } from "../../src/world/scheduler.js";

/** The effect of a job: it schedules another one, of the same or another subject, or cancels some. */
type Effect = (queue: Pick<ModelQueue, "schedule" | "cancel">) => void;

const effectOf = (job: Job): Effect => {
  if (job.kind === "again") return (queue) => queue.schedule("once", job.subject, 3);
  if (job.kind === "continues") return (queue) => queue.schedule("once", job.subject, 0);
  if (job.kind === "cancels") return (queue) => queue.cancel("a");
  return () => undefined;
};

/** A model of the queue: a plain array, which is searched for every job. */
class ModelQueue {
  jobs: Job[] = [];
  now = 0;
  readonly done: string[] = [];

  schedule(kind: string, subject: string, delay: number): Job {
    const job = { kind, subject, dueAt: this.now + delay };
    this.jobs.push(job);
    return job;
  }

  cancel(subject: string, kind?: string): void {
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
    arbitrary: fc.record({ do: fc.constant("schedule" as const), kind, subject, delay: fc.nat(5) }),
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
        const open = (jobs: readonly Job[]): JobQueue => {
          const queue: JobQueue = new JobQueue(async (job) => {
            done.push(`${job.kind} ${job.subject} ${String(clock.now())}`);
            await Promise.resolve();
            effectOf(job)({
              schedule: (...what) => queue.schedule(clock, ...what),
              cancel: (...which) => queue.cancel(clock, ...which),
            });
          }, jobs);
          return queue;
        };
        let queue = open([]);
        for (const each of steps) {
          switch (each.do) {
            case "schedule":
              queue.schedule(clock, each.kind, each.subject, each.delay);
              model.schedule(each.kind, each.subject, each.delay);
              break;
            case "cancel":
              queue.cancel(clock, each.subject, each.kind);
              model.cancel(each.subject, each.kind);
              break;
            case "advance":
              await queue.advanceTo(clock, clock.now() + each.by);
              model.advanceTo(model.now + each.by);
              break;
            case "finish":
              await queue.finish(clock, each.subject);
              model.finish(each.subject);
              break;
            case "restart":
              queue.close();
              queue = open(queue.state);
          }
          expect(done).toEqual(model.done);
          expect(queue.state).toEqual(model.jobs);
          expect(clock.now()).toBe(model.now);
        }
        queue.close();
      }),
      { numRuns: 300 },
    );
  });

  it("runs jobs that are due at the same time in the order in which they were scheduled, after a restart too", async () => {
    const clock = new VirtualClock({ frozenAt: 0 });
    const first = new JobQueue(() => Promise.resolve(), []);
    const subjects = Array.from({ length: 1_000 }, (_, index) => `subject ${String(index)}`);
    for (const each of subjects) first.schedule(clock, "kind", each, 5);
    first.close();
    const done: string[] = [];
    const second = new JobQueue(async (job) => void done.push(job.subject), first.state);
    await second.advanceTo(clock, 5);
    expect(done).toEqual(subjects);
  });

  it("excludes a canceled job that is running from the state, and runs it to its end", async () => {
    const clock = new VirtualClock({ frozenAt: 0 });
    let ended = false;
    const queue: JobQueue = new JobQueue(async () => {
      queue.cancel(clock, "a");
      expect(queue.state).toEqual([]);
      await Promise.resolve();
      ended = true;
    }, []);
    queue.schedule(clock, "kind", "a", 1);
    await queue.advanceTo(clock, 1);
    expect([ended, queue.state]).toEqual([true, []]);
  });
});
