import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ApiDatabase } from "./reconcile.js";
import { Sweep, type SweepOptions } from "./sweep.js";

const toDatabase = (databaseId: string): ApiDatabase => ({
  ...{ databaseId, credentials: [], backupIds: [], runningBackupIds: [] },
});

/** Sweeps with a record of what is done, in order. */
const openSweep = (options: Partial<SweepOptions>): string[] => {
  const events: string[] = [];
  const sweep = new Sweep({
    sessions: {
      runExclusively: async (names, work) => {
        events.push(`lock ${names.join()}`);
        return work({ signal: new AbortController().signal, confirm: () => Promise.resolve() });
      },
    },
    pendingIds: [],
    readDatabase: (id) => Promise.resolve(toDatabase(id)),
    repair: ({ databaseId }) => Promise.resolve(void events.push(`repair ${databaseId}`)),
    cleanUp: () => Promise.resolve(void events.push("clean up")),
    onLog: (line) => events.push(line),
    intervalMs: 5,
    ...options,
  });
  onTestFinished(() => sweep.close());
  return events;
};

describe("the sweep of a server", () => {
  it("repairs each database once, under its lock, as the records have it then", async () => {
    const events = openSweep({
      intervalMs: 60_000,
      pendingIds: ["db_1", "db_gone"],
      readDatabase: (id) => Promise.resolve(id === "db_gone" ? undefined : toDatabase(id)),
    });
    await vi.waitFor(() => expect(events.filter((event) => event === "clean up")).toHaveLength(1));
    expect(events.toSorted()).toEqual([
      "clean up",
      "lock database db_1",
      "lock database db_gone",
      "repair db_1",
    ]);
  });

  it("repeats at the next sweep what failed, and reports it once", async () => {
    let failures = 0;
    const events = openSweep({
      pendingIds: ["db_1"],
      repair: () => ((failures += 1) < 3 ? Promise.reject(new Error("away")) : Promise.resolve()),
    });
    await vi.waitFor(() => expect(events.filter((event) => event === "clean up").length).toBeGreaterThan(3));
    expect(failures).toBe(3);
    expect(events.filter((event) => event.includes("could not be repaired yet"))).toHaveLength(1);
  });

  it("goes on after a cleanup that fails", async () => {
    const cleanUp = vi.fn(() => Promise.reject(new Error("Postgres is away")));
    openSweep({ cleanUp });
    await vi.waitFor(() => expect(cleanUp.mock.calls.length).toBeGreaterThan(1));
  });
});
