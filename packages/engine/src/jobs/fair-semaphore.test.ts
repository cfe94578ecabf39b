import { describe, expect, it } from "vitest";
import { FairSemaphore } from "@mgmt/engine/internal";

/** Work that ends when the test says so. */
const harness = (limits: { maxTotal: number; perKey: number }) => {
  const semaphore = new FairSemaphore(limits);
  const started: string[] = [];
  const endings = new Map<string, () => void>();
  const begin = (name: string): Promise<string> =>
    semaphore.run(name.charAt(0), async () => {
      started.push(name);
      await new Promise<void>((resolve) => endings.set(name, resolve));
      return name;
    });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string): Promise<void> => {
    endings.get(name)?.();
    await settle();
  };
  return { started, begin, end, settle, semaphore };
};

describe("fair turns", () => {
  it("let a key that asks last start before most of what another key has queued", async () => {
    const { started, begin, end, settle } = harness({ maxTotal: 3, perKey: 2 });
    for (const name of ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3"]) void begin(name);
    await settle();
    expect(started).toEqual(["a1", "a2", "b1"]);
    await end("a1");
    await end("a2");
    await end("b1");
    expect(started).toEqual(["a1", "a2", "b1", "a3", "b2", "a4"]);
  });

  it("let keys take turns when there is room for one", async () => {
    const { started, begin, end, settle } = harness({ maxTotal: 1, perKey: 1 });
    const names = ["a1", "a2", "a3", "b1", "c1", "b2"];
    for (const name of names) void begin(name);
    await settle();
    for (let ended = 0; ended < names.length; ended += 1) await end(started.at(-1) ?? "");
    expect(started).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
  });

  it("never run more work of one key than its limit, though there is room", async () => {
    const { started, begin, end, settle } = harness({ maxTotal: 10, perKey: 2 });
    for (const name of ["a1", "a2", "a3"]) void begin(name);
    await settle();
    expect(started).toEqual(["a1", "a2"]);
    await end("a2");
    expect(started).toEqual(["a1", "a2", "a3"]);
  });

  it("pass results and errors on, and give the turn of failed work to the next", async () => {
    const { semaphore } = harness({ maxTotal: 1, perKey: 1 });
    const failed = semaphore.run("a", () => Promise.reject(new Error("failed")));
    const succeeded = semaphore.run("a", () => Promise.resolve(2));
    await expect(failed).rejects.toThrow("failed");
    expect(await succeeded).toBe(2);
  });
});
