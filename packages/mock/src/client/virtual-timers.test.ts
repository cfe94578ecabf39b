import { describe, expect, it } from "vitest";
import { VirtualTimers } from "./virtual-timers.js";
import { waitForRealTurn } from "../platform/node-platform.js";

/** Timers whose clock moves only by `pass`, and the moves that they ask for. */
const open = () => {
  const moves: number[] = [];
  const timers: VirtualTimers = new VirtualTimers((ms) => {
    moves.push(ms);
    timers.advance(ms);
    return Promise.resolve();
  });
  const fired: [name: string, at: number][] = [];
  const record = (name: string) => (): void => void fired.push([name, timers.performance.now()]);
  return { timers, moves, fired, record };
};

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await waitForRealTurn();
};

describe("virtual timers", () => {
  it("fire in the order of their times, also those that another one starts, each at its time", () => {
    const { timers, fired, record } = open();
    timers.setTimeout(record("late"), 30);
    timers.setTimeout(() => {
      record("early")();
      timers.setTimeout(record("inner"), 10);
      timers.setTimeout(record("never"), 100);
    }, 10);
    timers.advance(30);
    expect(fired).toEqual([
      ["early", 10],
      ["inner", 20],
      ["late", 30],
    ]);
    expect(timers.performance.now()).toBe(30);
  });

  it("fire once, not before their time, and not after they are cleared", () => {
    const { timers, fired, record } = open();
    timers.setTimeout(record("kept"), 10.2);
    timers.clearTimeout(timers.setTimeout(record("cleared"), 5));
    timers.clearTimeout(undefined);
    timers.advance(10);
    expect(fired).toEqual([]);
    timers.advance(1);
    timers.advance(100);
    expect(fired).toEqual([["kept", 11]]);
  });

  it("move the clock to the next timer while clients only pause", async () => {
    const { timers, fired, moves, record } = open();
    timers.setTimeout(record("deadline"), 20);
    timers.setPause(record("pause"), 50);
    await settle();
    expect(moves).toEqual([20, 30]);
    expect(fired).toEqual([
      ["deadline", 20],
      ["pause", 50],
    ]);
  });

  it("move no clock for deadlines alone", async () => {
    const { timers, moves, record } = open();
    timers.setTimeout(record("deadline"), 20);
    await settle();
    expect(moves).toEqual([]);
  });

  it.each([
    ["ends", () => Promise.resolve()],
    ["fails", () => Promise.reject(new Error("no"))],
  ])("move no clock during a request, until it %s", async (_, outcome) => {
    const { timers, moves, record } = open();
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const request = timers.runRequest(() => ended.then(outcome)).catch(() => undefined);
    timers.setPause(record("pause"), 50);
    await settle();
    expect(moves).toEqual([]);
    end();
    await request;
    await settle();
    expect(moves).toEqual([50]);
  });

  it("move the clock during the pause of a request, and not afterwards", async () => {
    const { timers, moves, record } = open();
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const { signal } = new AbortController();
    const request = timers.runRequest(async (pause) => {
      await pause(40, signal);
      timers.setPause(record("pause"), 50);
      await ended;
    });
    await settle();
    expect(moves).toEqual([40]);
    end();
    await request;
    await settle();
    expect(moves).toEqual([40, 50]);
  });

  it.each([false, true])(
    "end the pause of a request that is aborted, before it starts: %s",
    async (isBefore) => {
      const { timers, moves } = open();
      const controller = new AbortController();
      if (isBefore) controller.abort();
      await timers.runRequest(async (pause) => {
        const paused = pause(40, controller.signal);
        controller.abort();
        await paused;
      });
      await settle();
      expect(moves).toEqual([]);
      expect(timers.performance.now()).toBe(0);
    },
  );
});
