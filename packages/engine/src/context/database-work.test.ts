import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DatabaseWork } from "./database-work.js";

/** Returns a promise and the function that resolves it. */
const gate = () => {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
};

describe("the work that fills a database", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Starts work on `db_a` that ends when `end` is called. */
  const start = (work: DatabaseWork, isNeeded: () => Promise<boolean>) => {
    const { promise, open } = gate();
    let signal: AbortSignal | undefined;
    const held = { signal: new AbortController().signal, confirm: () => Promise.resolve() };
    const done = work.runFill("db_a", { heldLock: held, isNeeded }, (lock) => {
      ({ signal } = lock);
      return promise;
    });
    return { done, end: open, isAborted: () => signal?.aborted };
  };

  it("is cancelled once its row does not ask for it any more", async () => {
    let wanted = true;
    const { done, end, isAborted } = start(new DatabaseWork(), () => Promise.resolve(wanted));
    await vi.advanceTimersByTimeAsync(500);
    expect(isAborted()).toBe(false);
    wanted = false;
    await vi.advanceTimersByTimeAsync(500);
    expect(isAborted()).toBe(true);
    end();
    await done;
  });

  it("continues when the row cannot be read, and looks again", async () => {
    const isNeeded = vi.fn<() => Promise<boolean>>();
    isNeeded.mockRejectedValueOnce(new Error("lost connection")).mockResolvedValue(false);
    const { done, end, isAborted } = start(new DatabaseWork(), isNeeded);
    await vi.advanceTimersByTimeAsync(500);
    expect(isAborted()).toBe(false);
    await vi.advanceTimersByTimeAsync(500);
    expect(isAborted()).toBe(true);
    end();
    await done;
  });

  it("stops checking once it has ended", async () => {
    const isNeeded = vi.fn(() => Promise.resolve(true));
    const { done, end } = start(new DatabaseWork(), isNeeded);
    end();
    await done;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(isNeeded).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is cancelled by the name of its database, while it runs", async () => {
    const work = new DatabaseWork();
    const one = start(work, () => Promise.resolve(true));
    work.cancelFill("db_b");
    expect(one.isAborted()).toBe(false);
    work.cancelFill("db_a");
    expect(one.isAborted()).toBe(true);
    one.end();
    await one.done;
    expect(() => work.cancelFill("db_a")).not.toThrow();
  });
});

it("runs the work on one database in turn, and the work on others at the same time", async () => {
  const work = new DatabaseWork();
  const events: string[] = [];
  const { promise, open } = gate();
  const first = work.withLock(["db_a"], async () => {
    events.push("first starts");
    await promise;
    events.push("first ends");
  });
  const second = work.withLock(["db_b", "db_a"], () => Promise.resolve(void events.push("second")));
  await work.withLock(["db_c"], () => Promise.resolve(void events.push("third")));
  open();
  await Promise.all([first, second]);
  expect(events).toEqual(["first starts", "third", "first ends", "second"]);
});
