import { describe, expect, it } from "vitest";
import { KeyedLock } from "./keyed-lock.js";

describe("a lock by keys", () => {
  it("runs work with the same key in order, also after a failure, and other work at once", async () => {
    const lock = new KeyedLock();
    const log: string[] = [];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const first = lock.run("a", async () => {
      await gate;
      log.push("first");
      throw new Error("failed");
    });
    const second = lock.run("a", async () => log.push("second"));
    await lock.run("b", async () => log.push("other"));
    expect(log).toEqual(["other"]);
    release();
    await expect(first).rejects.toThrow("failed");
    await second;
    expect(log).toEqual(["other", "first", "second"]);
  });
});
