import { afterEach, describe, expect, it, vi } from "vitest";
import { type MockError, setupMock } from "@mgmt/mock";
import { StateStorage } from "./state-storage.js";
import { storageOf } from "../../test/browser/fake-page.js";

const openWith = (open: () => ReturnType<typeof storageOf>) => {
  const report = vi.fn<(error: MockError) => void>();
  const stateStorage = new StateStorage("mock", open, report);
  return {
    stateStorage,
    problems: () => report.mock.calls.map(([{ code, message }]) => ({ code, message })),
  };
};

describe("the state that a page keeps", () => {
  const mock = setupMock({ deterministic: "kept" });
  const state = { snapshot: mock.snapshot(), initial: mock.snapshot() };

  it("is read as it was written", () => {
    const storage = storageOf();
    const { stateStorage, problems } = openWith(() => storage);
    stateStorage.write(() => state);
    expect(openWith(() => storage).stateStorage.read()).toEqual(state);
    expect(problems()).toEqual([]);
  });

  it("is undefined when nothing was written", () => {
    const { stateStorage, problems } = openWith(storageOf);
    expect(stateStorage.read()).toBeUndefined();
    expect(problems()).toEqual([]);
  });

  it.each([
    ["no JSON", "{"],
    ["null", "null"],
    ["another version", JSON.stringify({ ...state, snapshot: { ...state.snapshot, version: 2 } })],
    ["no initial state", JSON.stringify({ snapshot: state.snapshot })],
  ])("is reported when it has %s", (_what, text) => {
    const storage = storageOf();
    storage.items.set("mock", text);
    const { stateStorage, problems } = openWith(() => storage);
    expect(stateStorage.read()).toBeUndefined();
    expect(problems()).toEqual([
      {
        code: "mock:kept_state_unusable",
        message: expect.stringMatching(
          /stored as "mock" cannot be used, so the mock starts with a new one: ./,
        ),
      },
    ]);
  });

  it("is reported when its initial state has another version", () => {
    const storage = storageOf();
    storage.items.set("mock", JSON.stringify({ ...state, initial: { ...state.initial, version: 2 } }));
    const { stateStorage, problems } = openWith(() => storage);
    expect(stateStorage.read()).toBeUndefined();
    expect(problems()).toHaveLength(1);
  });

  describe("after changes", () => {
    afterEach(() => void vi.useRealTimers());

    it("is written once, with all of them", () => {
      vi.useFakeTimers();
      const storage = storageOf();
      const { stateStorage } = openWith(() => storage);
      const capture = vi.fn(() => state);
      for (let change = 0; change < 3; change += 1) stateStorage.writeSoon(capture);
      expect(capture).not.toHaveBeenCalled();
      vi.runAllTimers();
      expect(capture).toHaveBeenCalledOnce();
      stateStorage.writeSoon(capture);
      vi.runAllTimers();
      expect(capture).toHaveBeenCalledTimes(2);
    });

    it("is not written later when it was written at once", () => {
      vi.useFakeTimers();
      const { stateStorage } = openWith(storageOf);
      const capture = vi.fn(() => state);
      stateStorage.writeSoon(capture);
      stateStorage.write(capture);
      expect(vi.getTimerCount()).toBe(0);
      expect(capture).toHaveBeenCalledOnce();
    });

    it("is not written when there is none", () => {
      const storage = storageOf();
      openWith(() => storage).stateStorage.write(() => undefined);
      expect(storage.items.size).toBe(0);
    });
  });

  it("is reported when the browser denies storage, and nothing fails", () => {
    const { stateStorage, problems } = openWith(() => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    });
    stateStorage.write(() => state);
    expect(stateStorage.read()).toBeUndefined();
    expect(problems()).toEqual([
      { code: "mock:storage_denied", message: expect.stringContaining("leave persist out") },
    ]);
  });

  it("is reported once when the storage is full, and again after it had room", () => {
    let storage = storageOf(10);
    const { stateStorage, problems } = openWith(() => ({
      ...storage,
      setItem: (key, text) => storage.setItem(key, text),
    }));
    stateStorage.write(() => state);
    stateStorage.write(() => state);
    expect(problems()).toEqual([
      { code: "mock:storage_full", message: expect.stringContaining("The quota has been exceeded") },
    ]);
    storage = storageOf();
    stateStorage.write(() => state);
    expect(problems()).toHaveLength(1);
    storage = storageOf(10);
    stateStorage.write(() => state);
    expect(problems()).toHaveLength(2);
  });
});
