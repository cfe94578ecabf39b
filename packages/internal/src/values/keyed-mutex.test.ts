import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { KeyedMutex } from "./keyed-mutex.js";

/** Starts work that records its start and ends when `finish` is called. */
const open = (mutex: KeyedMutex, keys: readonly string[], name: string, events: string[]) => {
  let finish: () => void = () => undefined;
  let fail: () => void = () => undefined;
  const gate = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = () => reject(new Error("failed"));
  });
  const done = mutex.run(keys, async () => {
    events.push(name);
    await gate;
    return name;
  });
  return { done, finish, fail };
};

describe("KeyedMutex", () => {
  it("runs work on the same key in the order of the calls", async () => {
    const mutex = new KeyedMutex();
    const events: string[] = [];
    const [first, second, third] = ["first", "second", "third"].map((name) =>
      open(mutex, ["a"], name, events),
    );
    await nextTurn();
    expect(events).toEqual(["first"]);
    first?.finish();
    expect(await first?.done).toBe("first");
    await nextTurn();
    expect(events).toEqual(["first", "second"]);
    second?.finish();
    third?.finish();
    await third?.done;
    expect(events).toEqual(["first", "second", "third"]);
  });

  it("runs work on different keys concurrently", async () => {
    const mutex = new KeyedMutex();
    const events: string[] = [];
    const works = ["a", "b"].map((key) => open(mutex, [key], key, events));
    await nextTurn();
    expect(events).toEqual(["a", "b"]);
    for (const { finish, done } of works) {
      finish();
      await done;
    }
  });

  it("continues after work that fails, and returns the failure to its caller", async () => {
    const mutex = new KeyedMutex();
    const events: string[] = [];
    const failing = open(mutex, ["a"], "failing", events);
    const next = open(mutex, ["a"], "next", events);
    failing.fail();
    await expect(failing.done).rejects.toThrow("failed");
    next.finish();
    expect(await next.done).toBe("next");
  });

  it("does not deadlock when keys are given in opposite orders or repeated", async () => {
    const mutex = new KeyedMutex();
    const events: string[] = [];
    const works = [
      ["a", "b"],
      ["b", "a"],
      ["b", "b", "a"],
    ].map((keys, index) => open(mutex, keys, String(index), events));
    for (const { finish } of works) finish();
    await Promise.all(works.map(({ done }) => done));
    expect(events).toEqual(["0", "1", "2"]);
  });

  it("runs work without keys immediately", async () => {
    expect(await new KeyedMutex().run([], () => Promise.resolve("done"))).toBe("done");
  });
});
