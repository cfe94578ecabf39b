import { describe, expect, it } from "vitest";
import { type ReplayOptions, type StepRun, type Store, replay } from "@mgmt/engine/internal";
import { MemoryStorageAdapter } from "../../test/store/memory-storage-adapter.js";
import { idsOf, sampleRows } from "../../test/store/store-under-test.js";

class Refused extends Error {}

const opened = (...projectIds: string[]) => {
  const storage = new MemoryStorageAdapter();
  for (const id of projectIds) storage.store.projects.insert(sampleRows.projects(id));
  const run = <T>(
    step: (store: Store, run: StepRun) => T,
    { mode = "write", ...options }: Partial<ReplayOptions> & { mode?: "read" | "write" } = {},
  ): Promise<T> =>
    replay(storage, (current) => step(current.tables.store, current), {
      transactionOptions: { mode, locks: ["w"] },
      isRefusal: (error) => error instanceof Refused,
      ...options,
    });
  const trips = (): string[] => storage.trips.map(([name]) => name);
  const names = (): string[] => storage.store.projects.list({}).map(({ name }) => name);
  return { storage, run, trips, names };
};

describe("a page of a step that has changed rows", () => {
  it("is full although rows of it were deleted", async () => {
    const { run } = opened("p1", "p2", "p3", "p4");
    const page = await run(({ projects }) => {
      projects.delete("p1");
      projects.update("p2", { workspaceId: "other" });
      return idsOf(projects.page({ where: { workspaceId: "w" }, limit: 2 }));
    });
    expect(page).toEqual(["p3", "p4"]);
  });
});
