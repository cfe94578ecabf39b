import { beforeEach, describe, expect, it } from "vitest";
import { compareBuilds } from "../../bench/commits/compare.js";
import type { Build, Measurement } from "../../bench/runner/measurement.js";

const buildAt = (folder: string): Build => ({ folder, mgmt: "" });
const builds = { base: buildAt("base"), head: buildAt("head") };
const rounds = 3;

let order: string[] = [];
let printed = "";
beforeEach(() => {
  order = [];
  printed = "";
});

/** A measurement whose values depend on the build and on how often that build was measured before. */
const costing = (cost: (folder: string, times: number) => readonly number[]): Measurement => {
  const count = new Map<string, number>();
  return {
    rows: [
      { title: "read", unit: "µs" },
      { title: "write", unit: "µs" },
    ],
    rounds,
    subject: {
      name: "mgmt",
      measure: ({ folder }) => {
        const times = count.get(folder) ?? 0;
        count.set(folder, times + 1);
        order.push(folder);
        return Promise.resolve().then(() => cost(folder, times));
      },
    },
    baseline: {
      name: "static",
      measure: () => {
        order.push("static");
        return Promise.resolve([10, 10]);
      },
    },
  };
};

const compare = (...measurements: Measurement[]): Promise<string[]> =>
  compareBuilds(measurements, builds, rounds, (text) => (printed += `${text}\n`));

describe("a comparison of two builds", () => {
  it("measures them alternately with the least that the work costs", async () => {
    expect(await compare(costing(() => [100, 200]))).toEqual([]);
    expect(order).toEqual(Array.from({ length: rounds }, () => ["head", "base", "static"]).flat());
    expect(printed).toContain("static: 10.0 µs");
    expect(printed).toContain("ratio: 1.000");
  });

  it("names the rows that are worse in a larger run, too", async () => {
    const measurement = costing((folder) => (folder === "head" ? [120, 200] : [100, 200]));
    expect(await compare(measurement)).toEqual(["read"]);
    expect(order).toHaveLength(3 * (rounds + 3 * rounds));
    expect(printed).toContain("ratio: 1.200");
  });

  it("forgives a row that is worse in one of the two runs only", async () => {
    const measurement = costing((folder, times) => {
      if (folder === "base") return [100, 200];
      return times < rounds ? [120, 200] : [100, 240];
    });
    expect(await compare(measurement)).toEqual([]);
    expect(printed).toContain("measured again in 9 rounds");
  });

  it("measures again after one failure", async () => {
    const measurement = costing((folder, times) => {
      if (folder === "head" && times === 1) throw new Error("too slow");
      return [100, 200];
    });
    expect(await compare(measurement)).toEqual([]);
  });

  it("fails if the working tree cannot be measured", async () => {
    const broken = costing((folder) => {
      if (folder === "head") throw new Error("a response is wrong");
      return [100, 200];
    });
    await expect(compare(broken)).rejects.toThrow("a response is wrong");
  });

  it("skips what the base does not have", async () => {
    const missing = costing((folder) => {
      if (folder === "base") throw new Error("no such export\n    at a place");
      return [100, 200];
    });
    const other = costing((folder) => (folder === "head" ? [120, 200] : [100, 200]));
    expect(await compare(missing, other)).toEqual(["read"]);
    expect(printed).toContain("the base cannot be measured: read, write\n    Error: no such export\n");
  });
});
