import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ApiDatabase } from "./reconcile.js";
import { PeriodicRepairer, type PeriodicRepairerOptions } from "./periodic-repairer.js";

const toDatabase = (databaseId: string): ApiDatabase => ({
  ...{ databaseId, credentials: [], backupIds: [], runningBackupIds: [] },
});

/** Starts a repairer, and records what it does, in order. */
const openRepairer = (options: Partial<PeriodicRepairerOptions>): string[] => {
  const events: string[] = [];
  const repairer = new PeriodicRepairer({
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
  onTestFinished(() => repairer.close());
  return events;
};

describe("the periodic repairer of a server", () => {
  it("repairs each database once, under its lock, as the records have it then", async () => {
    const events = openRepairer({
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

  it("repeats in the next round what failed, and reports it once", async () => {
    let failures = 0;
    const events = openRepairer({
      pendingIds: ["db_1"],
      repair: () => ((failures += 1) < 3 ? Promise.reject(new Error("away")) : Promise.resolve()),
    });
    await vi.waitFor(() => expect(events.filter((event) => event === "clean up").length).toBeGreaterThan(3));
    expect(failures).toBe(3);
    expect(events.filter((event) => event.includes("could not be repaired yet"))).toHaveLength(1);
  });

  it("goes on after a cleanup that fails", async () => {
    const cleanUp = vi.fn(() => Promise.reject(new Error("Postgres is away")));
    openRepairer({ cleanUp });
    await vi.waitFor(() => expect(cleanUp.mock.calls.length).toBeGreaterThan(1));
  });
});
