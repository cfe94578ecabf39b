import { describe, expect, it } from "vitest";
import { replay } from "../../src/store/replay.js";
import type { Backing } from "../../src/store/backing.js";
import { JobRunner } from "../../src/time/job-runner.js";
import type { Want } from "../../src/store/want.js";

/** Finds nothing, and records what was asked for. */
const emptyBacking = (asked: Want[]): Backing => ({
  begin: () => ({
    load: (wants) => {
      asked.push(...wants);
      return Promise.resolve(wants.map(() => []));
    },
    commit: () => Promise.resolve(),
    rollback: () => Promise.resolve(),
  }),
});

describe("JobRunner", () => {
  it("asks once for the jobs that are due although the time goes on while they are loaded", async () => {
    const asked: Want[] = [];
    let time = 0;
    let finish: () => void = () => undefined;
    const looked = new Promise<void>((resolve) => (finish = resolve));
    const runner = new JobRunner({
      transact: async (purpose, step) => {
        try {
          return await replay(emptyBacking(asked), ({ tables }) => step(tables.table("jobs"), tables), {
            access: { mode: purpose === "read" ? "read" : "write", locks: [] },
            isRefusal: () => false,
          });
        } finally {
          finish();
        }
      },
      sessions: { current: () => Promise.resolve("me"), living: () => Promise.resolve(new Set()) },
      workspacesOf: (jobs) => Promise.resolve(jobs.map(() => "workspace")),
      perform: () => Promise.resolve(undefined),
      onDefect: (error) => {
        throw error;
      },
      now: () => (time += 1),
    });
    runner.open();
    await looked;
    runner.close();
    expect(asked).toEqual([expect.objectContaining({ read: "expired", table: "jobs" })]);
  });
});
