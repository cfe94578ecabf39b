import { describe, expect, it } from "vitest";
import { ConnectionFaults } from "@mgmt/engine";

/** Faults with predetermined random draws. */
const faultsWith = (...draws: readonly number[]): ConnectionFaults => {
  const remaining = [...draws];
  return new ConnectionFaults({
    random: () => remaining.shift() ?? 0,
    findDatabaseName: (id) => `name of ${id}`,
  });
};

describe("ConnectionFaults", () => {
  it("affects the connections of its database, or of all", () => {
    const faults = faultsWith();
    const one = faults.add({ database: "db_a", effect: "drop" });
    expect(faults.strikeFirst("name of db_b")).toBeUndefined();
    expect(faults.strikeFirst("name of db_a")).toMatchObject({ id: one.id, struck: 1 });
    const all = faults.add({ effect: "refuse" });
    expect(faults.strikeFirst("name of db_b")).toMatchObject({ id: all.id });
    expect(faults.strikeFirst("name of db_a")).toMatchObject({ id: one.id, struck: 2 });
  });

  it("accepts a database id with and without its prefix", () => {
    const faults = faultsWith();
    expect(faults.add({ database: "a1", effect: "drop" }).database).toBe("db_a1");
    expect(faults.add({ database: "db_a1", effect: "drop" }).database).toBe("db_a1");
  });

  it("stops after a number of times, and stays in the list", () => {
    const faults = faultsWith();
    const { id } = faults.add({ effect: "refuse", times: 2 });
    const struck = Array.from({ length: 3 }, () => faults.strikeFirst("any") !== undefined);
    expect(struck).toEqual([true, true, false]);
    expect(faults.list()).toMatchObject([{ id, struck: 2 }]);
  });

  it("affects a connection once, and keeps the times of later faults for others", () => {
    const faults = faultsWith();
    const drop = faults.add({ effect: "drop", times: 1 });
    const reject = faults.add({ effect: "refuse", times: 1 });
    const ids = Array.from({ length: 3 }, () => faults.strikeFirst("any")?.id);
    expect(ids).toEqual([drop.id, reject.id, undefined]);
    expect(faults.list().map((fault) => fault.struck)).toEqual([1, 1]);
  });

  it("affects connections with a probability", () => {
    const faults = faultsWith(0.5, 0.4);
    faults.add({ effect: "refuse", probability: 0.5 });
    expect([faults.strikeFirst("any"), faults.strikeFirst("any")].map((fault) => fault?.struck)).toEqual([
      undefined,
      1,
    ]);
  });

  it("notifies its listener about each new fault, and removes faults", () => {
    const faults = faultsWith();
    const added: string[] = [];
    faults.onAdd = ({ id }) => added.push(id);
    const first = faults.add({ effect: "drop" });
    const second = faults.add({ effect: "delay", latency: 5 });
    expect(added).toEqual([first.id, second.id]);
    expect([faults.remove(first.id), faults.remove(first.id)]).toEqual([true, false]);
    expect([faults.has(first.id), faults.has(second.id)]).toEqual([false, true]);
    faults.clear();
    expect(faults.list()).toEqual([]);
    expect(faults.strikeFirst("any")).toBeUndefined();
  });

  it.each([
    ["an unknown effect", { effect: "explode" }, "effect must be one of refuse, drop, delay"],
    ["no effect", {}, "effect must be one of"],
    ["a database that is not text", { effect: "drop", database: 7 }, "database must be a string"],
    ["times below 1", { effect: "drop", times: 0 }, "times must be a whole number"],
    ["a fraction of times", { effect: "drop", times: 1.5 }, "times must be a whole number"],
    ["a probability above 1", { effect: "drop", probability: 1.1 }, "probability must be"],
    ["a probability that is not a number", { effect: "drop", probability: "1" }, "probability must be"],
    ["a delay without a latency", { effect: "delay" }, "latency is required for the effect delay"],
    ["a latency without a delay", { effect: "drop", latency: 5 }, "latency is required for the effect delay"],
    ["a negative latency", { effect: "delay", latency: -1 }, "latency must be"],
    ["a latency of days", { effect: "delay", latency: 1e9 }, "latency must be"],
    ["a code that is not an SQLSTATE", { effect: "refuse", code: "53300\0" }, "code must be an SQLSTATE"],
    [
      "a field that does not exist",
      { effect: "drop", databaseId: "db_1" },
      "There is no option databaseId. Did you mean database?",
    ],
    ["a message that is not text", { effect: "refuse", message: {} }, "message must be a string"],
    [
      "a message for a drop",
      { effect: "drop", message: "x" },
      "code and message are allowed only for the effect refuse",
    ],
  ])("refuses %s", (_case, fault, message) => {
    const faults = faultsWith();
    expect(() => faults.add(fault as never)).toThrow(message);
    expect(faults.list()).toEqual([]);
  });
});
