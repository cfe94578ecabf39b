import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { observe } from "./observe.js";

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
});
afterEach(() => warn.mockRestore());

describe("observe", () => {
  it("calls the function at once with its arguments", () => {
    const observer = vi.fn();
    observe("onRetry", observer, 1, "two");
    expect(observer.mock.calls).toEqual([[1, "two"]]);
  });

  it("does nothing without a function", () => {
    observe("onRetry", undefined, 1);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each([
    [
      "at once",
      () => {
        throw new Error("broken");
      },
    ],
    ["later", () => Promise.reject(new Error("broken"))],
  ])("prints only the first error of a function that fails %s", async (_, observer) => {
    expect(() => observe("onRetry", observer)).not.toThrow();
    observe("onRetry", observer);
    await vi.waitFor(() => expect(warn).toHaveBeenCalled());
    observe("onRetry", observer);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warn).toHaveBeenCalledOnce();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("onRetry"), new Error("broken"));
  });

  it("prints the first error of each function", async () => {
    for (const name of ["onRetry", "onProgress"]) observe(name, () => Promise.reject(new Error(name)));
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(2));
  });
});
