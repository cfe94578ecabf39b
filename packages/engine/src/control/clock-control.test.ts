import { describe, expect, it } from "vitest";
import { VirtualClock } from "../values/clock.js";
import { ClockControl, parseTimestamp } from "./clock-control.js";

describe("a time", () => {
  const noon = Date.UTC(2026, 0, 31, 12);
  const midnight = Date.UTC(2026, 0, 31);
  it.each<[string | number | Date, number]>([
    [0, 0],
    [new Date(noon), noon],
    ["1970-01-01", 0],
    ["9000-01-01", Date.UTC(9000, 0, 1)],
    ["2026-01-31", midnight],
    ["2026-01-31T12:00Z", noon],
    ["2026-01-31t12:00:00z", noon],
    ["2026-01-31T12:00:00.5Z", noon + 500],
    ["2026-01-31T14:00:00+02:00", noon],
    ["+002026-01-31T12:00:00Z", noon],
  ])("may be %j", (time, expected) => {
    expect(parseTimestamp(time)).toBe(expected);
  });

  it.each<[unknown, string]>([
    ["", "The time is neither"],
    ["tomorrow", "The time is neither"],
    ["2026-02-30", "The time is neither"],
    ["2026-02-29T12:00:00Z", "The time is neither"],
    ["2026-01-31T12:00:00", "The time is neither"],
    ["2026-01-31T25:00:00Z", "The time is neither"],
    ["2026-01-31 12:00:00Z", "The time is neither"],
    [" 2026-01-31", "The time is neither"],
    ["2026", "The time is neither"],
    ["1767225600000", "The time is neither"],
    [NaN, "The time is neither"],
    [null, "The time is neither"],
    [undefined, "The time is neither"],
    [{}, "The time is neither"],
    [new Date(NaN), "The time is neither"],
    [-1, "must be between"],
    ["1969-12-31", "must be between"],
    ["9000-01-02", "must be between"],
    ["+012026-01-31", "must be between"],
  ])("must not be %j: %s", (time, message) => {
    expect(() => parseTimestamp(time as number)).toThrow(message);
  });
});

describe("the control of a clock", () => {
  const open = (frozenAt = 1_000) => {
    const clock = new VirtualClock({ frozenAt });
    const events: string[] = [];
    const control = new ClockControl<"sync">({
      read: (readClock) => readClock(clock),
      change: (change) => {
        events.push("change");
        change(clock);
      },
      advanceTo: async (time) => {
        await Promise.resolve();
        clock.moveTo(time);
        events.push(`jobs until ${String(time)}`);
      },
    });
    control.followMoves((milliseconds) => events.push(`moved ${String(milliseconds)}`));
    return { control, events };
  };

  it("tells its listeners of moves forward, after the jobs on the way", async () => {
    const { control, events } = open();
    await control.advance(500);
    await control.set(2_000);
    await control.set(2_000);
    expect(events).toEqual([
      ...["jobs until 1500", "moved 500", "jobs until 2000", "moved 500", "jobs until 2000", "moved 0"],
    ]);
  });

  it("moves back without jobs", async () => {
    const { control, events } = open();
    await control.set(10);
    expect([control.now(), events]).toEqual([10, ["change"]]);
  });

  it("stops and starts the clock", () => {
    const { control } = open();
    control.run();
    expect(control.frozen).toBe(false);
    control.freeze();
    expect(control.frozen).toBe(true);
  });

  it.each([-1, NaN, Infinity, "5", null])("refuses to advance by %j", async (milliseconds) => {
    const { control, events } = open();
    await expect(control.advance(milliseconds as number)).rejects.toMatchObject({
      name: "ControlError",
      status: 400,
    });
    expect([control.now(), events]).toEqual([1_000, []]);
  });

  it("refuses to move past the year 9000", async () => {
    const { control, events } = open(Date.UTC(9000, 0, 1));
    await expect(control.advance(1)).rejects.toThrow("must be between");
    await expect(control.set("9000-01-02")).rejects.toThrow("must be between");
    expect(events).toEqual([]);
  });
});
