import { beforeEach, describe, expect, it } from "vitest";
import { compareBuilds } from "../../bench/commits/compare.js";
import type { Build } from "../../bench/rows/build.js";
import type { Measurement } from "../../bench/rows/measurement.js";

const buildAt = (folder: string): Build => ({ folder, programs: "", contenders: "", mgmt: "" });
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
    measure: ({ folder }) => {
      const times = count.get(folder) ?? 0;
      count.set(folder, times + 1);
      order.push(folder);
      return Promise.resolve().then(() => cost(folder, times));
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
  it("measures them alternately with the baseline", async () => {
    expect(await compare(costing(() => [100, 200]))).toEqual([]);
    expect(order).toEqual(Array.from({ length: rounds }, () => ["base", "head", "static"]).flat());
    expect(printed).toContain("read: least +0.0 %, median +0.0 %\n");
    expect(printed).toContain("static as a share: 0.10 of base, 0.10 of now");
  });

  it("names the rows that are worse in a larger run, too", async () => {
    const measurement = costing((folder) => (folder === "head" ? [120, 200] : [100, 200]));
    expect(await compare(measurement)).toEqual(["read"]);
    expect(order).toHaveLength(3 * (rounds + 3 * rounds));
    expect(printed).toContain("read: least +20.0 %, median +20.0 % (worse)");
  });

  it("forgives a row that is worse in the first run only", async () => {
    const measurement = costing((folder, times) =>
      folder === "head" && times < rounds ? [120, 200] : [100, 200],
    );
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
    expect(printed).toContain("the base cannot be measured: read, write\n    no such export\n");
  });
});
