import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { MemoryServer } from "@mgmt/engine";
import { type OpenQueue, openQueue } from "../../test/jobs/open-queue.js";

const hour = 3_600_000;

describe("the clock", () => {
  it("starts frozen at a fixed instant when seeded", () => {
    const { clock } = new MemoryServer({ deterministic: "a" });
    expect([clock.frozen, clock.now()]).toEqual([true, Date.UTC(2026, 0, 1)]);
  });

  it("follows the system's clock otherwise", () => {
    const before = Date.now();
    const { clock } = new MemoryServer();
    expect(clock.frozen).toBe(false);
    expect(clock.now()).toBeGreaterThanOrEqual(before);
    expect(clock.now()).toBeLessThanOrEqual(Date.now());
  });

  it("starts at the configured time: a number, a Date or a string", () => {
    for (const startAt of [hour, new Date(hour), "1970-01-01T01:00:00Z"]) {
      expect(new MemoryServer({ startAt, frozen: true }).clock.now()).toBe(hour);
    }
  });

  it.each([
    "teatime",
    "",
    "1",
    "2026-02-31",
    "2026-02-31T12:00:00Z",
    "2026-01-31T12:00:00",
    "2026-01-31 12:00:00Z",
    "Sat, 31 Jan 2026 12:00:00 GMT",
    "January 31, 2026",
    "2026-01-31T25:00:00Z",
    "2026-01-31T12:00:00+25:00",
  ])("refuses the time %j", async (time) => {
    const { clock } = new MemoryServer({ deterministic: "a" });
    const now = clock.now();
    await expect(clock.set(time)).rejects.toThrow("a date and time with a time zone");
    expect(() => new MemoryServer({ startAt: time })).toThrow("a date and time with a time zone");
    expect(clock.now()).toBe(now);
  });

  it("is set to the first millisecond of a date in UTC", async () => {
    const { clock } = new MemoryServer({ deterministic: "a" });
    await clock.set("2028-02-29");
    expect(clock.now()).toBe(Date.UTC(2028, 1, 29));
  });

  it("can be frozen, advanced, set, and started", async () => {
    const { clock } = new MemoryServer({ startAt: 0 });
    clock.freeze();
    const frozen = clock.now();
    await clock.advance(hour);
    expect(clock.now()).toBe(frozen + hour);
    await clock.set(5);
    expect(clock.now()).toBe(5);
    clock.run();
    expect(clock.frozen).toBe(false);
    await clock.advance(hour);
    expect(clock.now()).toBeGreaterThanOrEqual(5 + hour);
  });

  it.each([-1, NaN, Infinity])("refuses to advance by %s", async (milliseconds) => {
    await expect(new MemoryServer({ deterministic: "a" }).clock.advance(milliseconds)).rejects.toThrow(
      "at least 0",
    );
  });

  it("refuses times that RFC 3339 cannot express, and keeps its time", async () => {
    const { clock } = new MemoryServer({ deterministic: "a" });
    const now = clock.now();
    for (const time of [-1, "-000001-01-01T00:00:00Z", "+010000-01-01T00:00:00Z", 8.64e15]) {
      await expect(clock.set(time)).rejects.toThrow("between 1970-01-01 and 9000-01-01");
    }
    await expect(clock.advance(8e14)).rejects.toThrow("between 1970-01-01 and 9000-01-01");
    expect(() => new MemoryServer({ startAt: 8.64e15 })).toThrow("between 1970-01-01 and 9000-01-01");
    expect(clock.now()).toBe(now);
  });

  it("makes databases ready when it is moved, and not before", async () => {
    const engine = new MemoryServer({
      deterministic: "a",
      settings: { lifecycle: { provisioning: 1_000 } },
    });
    const authorization = `Bearer ${await engine.tokens.user()}`;
    await engine.handle({ method: "POST", path: "/v1/projects", headers: { authorization } });
    const status = () => engine.rows.databases.find({})?.status;
    await engine.clock.advance(999);
    expect(status()).toBe("provisioning");
    await engine.clock.advance(1);
    expect(status()).toBe("ready");
  });

  it("makes databases ready by itself while it runs", async () => {
    const engine = new MemoryServer({ settings: { lifecycle: { provisioning: 20 } } });
    const authorization = `Bearer ${await engine.tokens.user()}`;
    await engine.handle({ method: "POST", path: "/v1/projects", headers: { authorization } });
    await vi.waitFor(() => expect(engine.rows.databases.find({})?.status).toBe("ready"));
    await engine.stop();
  });

  it("makes databases ready only when it is moved, from stop until start", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const engine = new MemoryServer({ settings: { lifecycle: { provisioning: 1 } } });
    await engine.stop();
    const authorization = `Bearer ${await engine.tokens.user()}`;
    const create = () => engine.handle({ method: "POST", path: "/v1/projects", headers: { authorization } });
    const statuses = () => engine.rows.databases.list({}).map(({ status }) => status);
    await create();
    await vi.advanceTimersByTimeAsync(10);
    expect(statuses()).toEqual(["provisioning"]);
    await engine.clock.advance(1);
    expect(statuses()).toEqual(["ready"]);
    await create();
    engine.start();
    await vi.advanceTimersByTimeAsync(10);
    expect(statuses()).toEqual(["ready", "ready"]);
    await engine.stop();
  });
});

describe("the job queue", () => {
  const opened: OpenQueue[] = [];
  afterEach(() => {
    for (const { queue } of opened.splice(0)) queue.stop();
  });

  const open = (...parts: Parameters<typeof openQueue>): OpenQueue => {
    const made = openQueue(...parts);
    opened.push(made);
    return made;
  };

  it("runs each job at its own time, in the order in which they fall due", async () => {
    const done: [string, number][] = [];
    const jobs = open((job) => void done.push([job.subject, jobs.clock.now()]));
    jobs.schedule({ kind: "k", subject: "c", delayMs: 30 });
    jobs.schedule({ kind: "k", subject: "a", delayMs: 10 });
    jobs.schedule({ kind: "k", subject: "b", delayMs: 10 });
    await jobs.queue.advanceTo(20);
    expect(done).toEqual([
      ["a", 10],
      ["b", 10],
    ]);
    await jobs.queue.advanceTo(100);
    expect(done.at(-1)).toEqual(["c", 30]);
    expect(jobs.clock.now()).toBe(100);
  });

  it("runs jobs that other jobs schedule when they fall due during an advance", async () => {
    const times: number[] = [];
    const jobs = open((job, same) => {
      times.push(jobs.clock.now());
      if (times.length < 3) same.schedule({ kind: job.kind, subject: job.subject, delayMs: 10 });
    });
    jobs.schedule({ kind: "k", subject: "a", delayMs: 10 });
    await jobs.queue.advanceTo(100);
    expect(times).toEqual([10, 20, 30]);
  });

  it("waits for each job before it moves on", async () => {
    const steps: string[] = [];
    const jobs = open(async (job) => {
      steps.push(`${job.subject} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${job.subject} ends`);
    });
    jobs.schedule({ kind: "k", subject: "a", delayMs: 1 });
    jobs.schedule({ kind: "k", subject: "b", delayMs: 2 });
    await jobs.queue.advanceTo(2);
    expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  });

  it("does not start canceled jobs: all of a subject, or one kind", async () => {
    const done: string[] = [];
    const jobs = open((job) => void done.push(`${job.kind} ${job.subject}`));
    for (const kind of ["x", "y"])
      for (const subject of ["a", "b"]) jobs.schedule({ kind, subject, delayMs: 1 });
    jobs.cancel({ subject: "a" });
    jobs.cancel({ kind: "x", subject: "b" });
    await jobs.queue.advanceTo(1);
    expect(done).toEqual(["y b"]);
  });

  it("runs a job without delay while the clock is frozen, but never at once", async () => {
    const done: string[] = [];
    const jobs = open((job) => void done.push(job.subject));
    jobs.schedule({ kind: "k", subject: "a", delayMs: 0 });
    expect(done).toEqual([]);
    await vi.waitFor(() => expect(done).toEqual(["a"]));
  });

  it("includes a job in its state until it is done, so that it runs again after a restart", async () => {
    let finish = (): void => undefined;
    const jobs = open(() => new Promise<void>((resolve) => (finish = resolve)));
    jobs.schedule({ kind: "k", subject: "a", delayMs: 1 });
    const moved = jobs.queue.advanceTo(1);
    await vi.waitFor(() => expect(jobs.state()).toHaveLength(1));
    const state = jobs.state();
    finish();
    await moved;
    expect(jobs.state()).toEqual([]);

    const again: string[] = [];
    const restarted = open((job) => void again.push(job.subject), state);
    await restarted.queue.advanceTo(1);
    expect(again).toEqual(["a"]);
  });

  it("starts nothing once it is closed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const done: string[] = [];
    const jobs = open((job) => void done.push(job.subject));
    jobs.schedule({ kind: "k", subject: "a", delayMs: 0 });
    jobs.queue.stop();
    await vi.advanceTimersByTimeAsync(20);
    expect(done).toEqual([]);
  });

  it("lets the process end", () => {
    // Node.js lists only timers that keep the process alive, including the test's own.
    const holding = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = holding();
    const jobs = open(() => undefined);
    jobs.clock.run();
    jobs.schedule({ kind: "k", subject: "a", delayMs: hour });
    expect(holding()).toBe(before);
  });
});
