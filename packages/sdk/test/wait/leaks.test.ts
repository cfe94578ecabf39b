import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { setupWorld } from "./server.js";

const world = setupWorld();
const { mock } = world;

const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;

/** Timers of earlier tests may end meanwhile, but not those of the waits here, in milliseconds. */
const shorterThanWaits = 10_000;

describe("a finished wait", () => {
  it("leaves no listener on a shared signal and no timer, however it ended", async () => {
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on("warning", onWarning);
    const before = timers();
    await mock.states.setDatabaseStatus(world.databaseId, "failure");
    const { id: stuck } = await mock.seed.database(world.projectId);
    await mock.states.setDatabaseStatus(stuck, "provisioning");
    const { id: ready } = await mock.seed.database(world.projectId);
    const wait = (index: number): Promise<unknown> => {
      const id = [ready, stuck, world.databaseId, "", "db_unknown1"][index % 5] ?? "";
      return world.user.databases.waitUntilReady(id, { signal, timeoutMs: id === stuck ? 60 : 60_000 });
    };
    const waits = Array.from({ length: 30 }, (_each, index) => index);
    const ends = await Promise.allSettled(waits.map(wait));
    for (const index of waits.slice(0, 10)) await Promise.allSettled([wait(index)]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["fulfilled", "rejected"]));
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await vi.waitFor(() => expect(timers()).toBeLessThanOrEqual(before), shorterThanWaits);
    expect(warnings).toEqual([]);
  });

  it("leaves at most one listener on the signal while thirty wait", async () => {
    await mock.states.setDatabaseStatus(world.databaseId, "recovering");
    const controller = new AbortController();
    const { signal } = controller;
    let seen = 0;
    const waits = Array.from({ length: 30 }, () =>
      world.user.databases.waitUntilReady(world.databaseId, {
        signal,
        onProgress: () => {
          seen += 1;
          if (seen === 30) setTimeout(() => controller.abort("enough"), 0);
          expect(getEventListeners(signal, "abort")).toHaveLength(1);
        },
      }),
    );
    const ends = await Promise.allSettled(waits);
    const causes = ends.map((end) => end.status === "rejected" && Reflect.get(Object(end.reason), "cause"));
    expect(new Set(causes)).toEqual(new Set(["enough"]));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("leaves nothing of a call that waited for its sponsor", async () => {
    const { signal } = new AbortController();
    const before = timers();
    const client = world.agentThat({
      onProgress: async ({ approvalId, polls }) => {
        if (polls === 1) await mock.approvals.approve(approvalId);
      },
    });
    await client.databases.delete(world.databaseId, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await vi.waitFor(() => expect(timers()).toBeLessThanOrEqual(before), shorterThanWaits);
  });
});
