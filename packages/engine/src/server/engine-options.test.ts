import { describe, expect, it, vi } from "vitest";
import { assertEngineOptions, createInitialClockState } from "./engine-options.js";

const now = Date.UTC(2030, 0, 1);
const deterministicStart = Date.UTC(2026, 0, 1);

describe("the clock of a new server", () => {
  it.each([
    [{}, { offset: 0 }],
    [{ frozen: true }, { frozenAt: now }],
    [{ deterministic: "a" }, { frozenAt: deterministicStart }],
    [{ deterministic: "" }, { frozenAt: deterministicStart }],
    [{ deterministic: "a", frozen: false }, { offset: deterministicStart - now }],
    [{ deterministic: "a", startAt: 0 }, { frozenAt: 0 }],
    [{ startAt: "2029-12-31" }, { offset: -86_400_000 }],
    [{ startAt: 0, frozen: true }, { frozenAt: 0 }],
  ])("with %j is %j", (options, state) => {
    vi.spyOn(Date, "now").mockReturnValue(now);
    expect(createInitialClockState(options)).toEqual(state);
  });

  it("starts at a time that is one", () => {
    expect(() => createInitialClockState({ startAt: "soon" })).toThrow("The time is neither");
  });
});

describe("an option of a server", () => {
  it("may be undefined, or one of a class with more options", () => {
    expect(() => assertEngineOptions({ frozen: undefined, logCapacity: 1 })).not.toThrow();
    expect(() => assertEngineOptions({ baseUrl: 5 }, ["baseUrl"])).not.toThrow();
  });

  it.each<[unknown, string]>([
    [{ baseUrl: "a" }, "There is no option baseUrl"],
    [{ determinstic: "a" }, "Did you mean deterministic?"],
    [{ deterministic: true }, "deterministic must be a string"],
    [{ settings: [] }, "settings must be an object"],
    [{ snapshot: null }, "snapshot must be an object"],
    [{ initial: "a" }, "initial must be an object"],
    [{ signInKey: 5 }, "signInKey must be a string"],
    [{ afterMutation: {} }, "afterMutation must be a function"],
    [{ onDefect: null }, "onDefect must be a function"],
    [{ validateResponses: 1 }, "validateResponses must be true or false"],
    [{ logCapacity: 0 }, "logCapacity must be a number, at least 1"],
    [null, "The argument must be an object"],
    ["a", "The argument must be an object"],
  ])("must not be %j: %s", (options, message) => {
    expect(() => assertEngineOptions(options as object)).toThrow(message);
  });
});
