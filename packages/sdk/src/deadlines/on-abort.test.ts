import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { onAbort } from "./on-abort.js";

const setup = () => {
  const controller = new AbortController();
  const { signal } = controller;
  const calls: unknown[] = [];
  const register = (name: string) => onAbort(signal, (reason) => calls.push([name, reason]));
  return { controller, signal, calls, register, listeners: () => getEventListeners(signal, "abort").length };
};

describe("callbacks of a signal", () => {
  it("share one listener, and are all called with its reason, once", () => {
    const { controller, calls, register, listeners } = setup();
    register("one");
    register("two");
    expect(listeners()).toBe(1);
    controller.abort("reason");
    expect(calls).toEqual([
      ["one", "reason"],
      ["two", "reason"],
    ]);
    expect(listeners()).toBe(0);
  });

  it("are removed one by one, and the listener with the last one", () => {
    const { controller, calls, register, listeners } = setup();
    const [removeOne, removeTwo] = [register("one"), register("two")];
    removeOne();
    removeOne();
    expect(listeners()).toBe(1);
    removeTwo();
    expect(listeners()).toBe(0);
    controller.abort("reason");
    expect(calls).toEqual([]);
  });

  it("can be added after all were removed, and an old removal leaves them", () => {
    const { controller, calls, register, listeners } = setup();
    const remove = register("one");
    remove();
    register("two");
    remove();
    expect(listeners()).toBe(1);
    controller.abort("reason");
    expect(calls).toEqual([["two", "reason"]]);
  });

  it("can be removed while another is called, and afterwards", () => {
    const { controller, signal, calls, register } = setup();
    const removals = [onAbort(signal, () => removals[1]?.()), register("two"), register("three")];
    controller.abort("reason");
    expect(calls).toEqual([["three", "reason"]]);
    for (const remove of removals) expect(remove).not.toThrow();
  });

  it("are not called when another signal is aborted", () => {
    const [one, other] = [setup(), setup()];
    one.register("one");
    other.register("other");
    one.controller.abort();
    expect(other.calls).toEqual([]);
    expect(other.listeners()).toBe(1);
  });
});
