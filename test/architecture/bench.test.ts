import { describe, expect, it } from "vitest";
import { compareBuilds } from "../../bench/commits/compare.js";
import { isWorse, seemsWorse } from "../../bench/commits/verdict.js";
import type { Measured } from "../../bench/runner/measured.js";
import type { Build } from "../../bench/runner/measurement.js";
import { runBenches } from "../../bench/runner/run-benches.js";

const buildAt = (folder: string): Build => ({ folder, mgmt: "" });
const rounds = 3;

/** Compares two builds. `costOf` returns the cost of two rows by the build and by how often it was measured before. */
const compare = async (costOf: (folder: string, times: number) => readonly number[]) => {
  const folders: string[] = [];
  const lines: string[] = [];
  const measure = ({ folder }: Build): Promise<readonly number[]> => {
    const times = folders.filter((other) => other === folder).length;
    folders.push(folder);
    return Promise.resolve().then(() => costOf(folder, times));
  };
  const rows = ["read", "write"].map((title) => ({ title, unit: "µs" as const }));
  const measurement = { rows, rounds, subject: { name: "mgmt", measure } };
  const builds = { base: buildAt("base"), head: buildAt("head") };
  const worse = await compareBuilds([measurement], builds, rounds, (text) => lines.push(text));
  return { worse, folders, text: lines.join("\n") };
};

/** Rounds of one commit, and the same with more or less cost. */
const base = [100, 104, 101, 130, 102];
const times = (factor: number): number[] => base.map((cost) => cost * factor);

describe("the comparison of two commits", () => {
  it.each([
    ["9 percent more", base, times(1.09), true, true],
    ["7 percent more", base, times(1.07), false, false],
    ["half", base, times(0.5), false, false],
    ["more in the median only", base, [100, 150, 160, 170, 180], false, false],
    ["more in the least only", base, [109, 109, 109, 130, 109], false, false],
    ["less than rounds differ", [100, 160, 130, 190, 145], [112, 172, 142, 202, 157], true, false],
  ])("judges %s", (_cost, before, after, seems, is) => {
    expect([seemsWorse(before, after), isWorse(before, after)]).toEqual([seems, is]);
  });

  it("measures the builds alternately, and names a row that is worse in a larger run, too", async () => {
    const { worse, folders } = await compare((folder) => (folder === "head" ? [120, 200] : [100, 200]));
    expect(worse).toEqual(["read"]);
    expect(folders).toEqual(Array.from({ length: rounds + 3 * rounds }, () => ["head", "base"]).flat());
  });

  it("forgives a row that is worse in one run, and one failure", async () => {
    const { worse } = await compare((folder, count) => {
      if (folder === "head" && count === 1) throw new Error("too slow");
      return folder === "head" && count <= rounds ? [120, 200] : [100, 200];
    });
    expect(worse).toEqual([]);
  });

  it("fails if the working tree cannot be measured, and skips what the base does not have", async () => {
    const withFault = (broken: string) =>
      compare((folder) => {
        if (folder === broken) throw new Error("no such export");
        return [100, 200];
      });
    await expect(withFault("head")).rejects.toThrow("no such export");
    expect((await withFault("base")).text).toContain("the base cannot be measured: read, write");
  });
});

describe("a run of the benches that is recorded", () => {
  const benchOf = (measure: () => readonly number[] | Promise<readonly number[]>) => [
    {
      rows: [{ title: "read", unit: "µs" as const }],
      rounds: 1,
      subject: { name: "mgmt", measure: async () => measure() },
    },
  ];
  const recordedAt = (commit: string): Measured[string] => ({ commit, machine: "", node: "", findings: [] });

  /** Runs benches over results that are recorded. */
  const record = async (
    measured: Measured,
    benches: Readonly<Record<string, () => readonly number[] | Promise<readonly number[]>>>,
    continues = false,
  ) => {
    const lines: string[] = [];
    let recorded = measured;
    const records = {
      read: () => recorded,
      add: (added: Measured) => {
        recorded = { ...recorded, ...added };
      },
    };
    const counts = runBenches({
      benches: Object.fromEntries(Object.entries(benches).map(([name, measure]) => [name, benchOf(measure)])),
      record: { records, commit: "current", machine: "a machine", continues },
      print: (text) => lines.push(text),
    });
    return { counts, read: () => recorded, lines };
  };

  it("keeps what is measured before the run is cut, with its commit", async () => {
    const { read } = await new Promise<Awaited<ReturnType<typeof record>>>((resolve) => {
      const run = record(
        { second: recordedAt("earlier") },
        {
          first: () => [1],
          second: () => {
            void run.then(resolve);
            return new Promise(() => undefined);
          },
        },
      );
    });
    expect(read()).toMatchObject({
      first: { commit: "current", machine: "a machine", findings: [{ subject: { rounds: [1] } }] },
      second: { commit: "earlier" },
    });
  });

  it.each([
    ["measures every bench again", false, ["first", "second", "third"]],
    ["continues with what has no results of its commit", true, ["second", "third"]],
  ])("%s, and says at which commit each was measured", async (_title, continues, expected) => {
    const names: string[] = [];
    const measure = (name: string) => () => {
      names.push(name);
      return [1];
    };
    const { counts, lines } = await record(
      { first: recordedAt("current"), second: recordedAt("earlier"), other: recordedAt("earlier") },
      { first: measure("first"), second: measure("second"), third: measure("third") },
      continues,
    );
    await counts;
    expect(names).toEqual(expected);
    expect(lines.at(-1)).toBe(
      "\nrecorded results:\n  current (this commit): first, second, third\n  earlier (another commit): other",
    );
  });

  it("keeps the earlier result of a bench that fails", async () => {
    const { counts, read } = await record(
      { first: recordedAt("earlier") },
      { first: () => Promise.reject(new Error("a wrong response")), second: () => [1] },
    );
    expect(await counts).toEqual({ failed: 1, missed: 0 });
    expect(read()).toMatchObject({ first: { commit: "earlier" }, second: { commit: "current" } });
  });
});
