import { describe, expect, it, vi } from "vitest";
import {
  createProcessView,
  determineLiveness,
  parseIdentity,
  type ProcessIdentity,
  type ProcessView,
} from "@mgmt/internal/processes/process-liveness";

const own: ProcessIdentity = { pid: 1, started: "10", place: "here", machine: "this" };

/** A system on which these processes run. */
const systemWith = (
  processes: Record<number, string | null>,
  fields: Partial<ProcessIdentity> = {},
): ProcessView => ({
  self: { ...own, ...fields },
  find: (pid) => {
    const started = processes[pid];
    return started === undefined ? undefined : { started };
  },
});

const system = systemWith({ 1: "10", 7: "70", 8: null });

describe("processLiveness", () => {
  it.each([
    ["alive", "that runs", { pid: 7, started: "70" }, system],
    ["dead", "that no longer exists", { pid: 9, started: "90" }, system],
    ["dead", "whose id belongs to another one by now", { pid: 7, started: "69" }, system],
    ["unknown", "whose start is not known here", { pid: 8, started: "80" }, system],
    ["unknown", "whose start was not known there", { pid: 7, started: null }, system],
    ["unknown", "of another container", { pid: 9, place: "there", machine: null }, system],
    [
      "unknown",
      "of another container with a process of this id here",
      { pid: 7, place: "there", machine: null },
      system,
    ],
    ["unknown", "of another machine", { pid: 9, place: "there", machine: "that" }, system],
    ["dead", "from before a restart of this machine", { pid: 7, place: "before" }, system],
    [
      "unknown",
      "of the host, seen from a container",
      { pid: 9, place: "there" },
      systemWith({}, { machine: null }),
    ],
    [
      "unknown",
      "of a container whose machine is not known either",
      { place: "there", machine: null },
      systemWith({}, { machine: null }),
    ],
    ["unknown", "whose place is not known", { pid: 9, place: null }, system],
    [
      "unknown",
      "of the same machine, whose place is not known here",
      { pid: 9 },
      systemWith({}, { place: null }),
    ],
    ["unknown", "while no place is known at all", { pid: 9, place: null }, systemWith({}, { place: null })],
  ] as const)("returns %s for a process %s", (life, _, fields, processes) => {
    expect(determineLiveness({ ...own, ...fields }, processes)).toBe(life);
  });

  it("knows this process, and that no process has an id above the limit of the system", () => {
    const known = createProcessView(() => "then");
    expect(determineLiveness(known.self, known)).toBe("alive");
    expect(determineLiveness({ ...known.self, pid: 999_999_999 }, known)).toBe("dead");
  });
});

describe("createProcessView", () => {
  const { pid } = process;

  it.each([
    ["belongs to another account", "EPERM", true],
    ["does not exist", "ESRCH", false],
  ])("finds a process that %s: %s", (_, code, exists) => {
    const { find } = createProcessView();
    vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error(code), { code });
    });
    expect(find(pid) !== undefined).toBe(exists);
  });

  it.runIf(process.platform === "linux")("reads the start of a process whatever its name is", () => {
    const started = createProcessView().self.started;
    expect(started).toMatch(/^\d+$/);
    const { title } = process;
    try {
      process.title = "a) Z 1 (b";
      expect(createProcessView().find(pid)).toEqual({ started });
    } finally {
      process.title = title;
    }
  });

  it.runIf(process.platform === "linux")(
    "tells one start of the system and its namespaces from others",
    () => {
      const { self: own } = createProcessView();
      expect(own.place).toMatch(/^[\da-f-]{36} pid:\[\d+\] time:\[\d+\]$/);
    },
  );
});

describe("parseIdentity", () => {
  it("returns what was written", () => {
    const { self: own } = createProcessView();
    expect(parseIdentity(JSON.parse(JSON.stringify({ ...own, more: 1 })))).toEqual(own);
  });

  it.each([
    undefined,
    null,
    "text",
    [],
    {},
    { pid: 7 },
    { ...own, pid: 0 },
    { ...own, pid: -1 },
    { ...own, pid: 1.5 },
    { ...own, pid: "7" },
    { ...own, started: 7 },
    { ...own, place: undefined },
    { ...own, machine: {} },
  ])("returns undefined for %j", (value) => {
    expect(parseIdentity(value)).toBeUndefined();
  });
});
