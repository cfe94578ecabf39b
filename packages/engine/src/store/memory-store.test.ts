import { describe, expect, it } from "vitest";
import { MemoryStore } from "@mgmt/engine/internal";
import { describeLookups } from "../../test/store/lookup-conformance.js";
import { describeModel } from "../../test/store/model-properties.js";
import { describePages } from "../../test/store/page-conformance.js";
import { describeRows } from "../../test/store/store-conformance.js";
import { type OpenStore, sampleRows } from "../../test/store/store-under-test.js";

const openMemoryStore: OpenStore = (state) => {
  const store = new MemoryStore();
  if (state) store.restore(state);
  return Promise.resolve({
    run: async (step) => step(store),
    state: () => Promise.resolve(store.state),
    close: () => Promise.resolve(),
  });
};

describe("the memory store", () => {
  describeRows(openMemoryStore);
  describeLookups(openMemoryStore);
  describePages(openMemoryStore);
  describeModel(openMemoryStore, 60);

  it("reports once that something has changed, but not reads or failed changes", () => {
    const store = new MemoryStore();
    const { projects } = store;
    expect(store.hasChangedSinceLastCall()).toBe(false);
    projects.insert(sampleRows.projects("p1"));
    expect([store.hasChangedSinceLastCall(), store.hasChangedSinceLastCall()]).toEqual([true, false]);
    projects.update("p1", { name: "new" });
    expect(store.hasChangedSinceLastCall()).toBe(true);
    projects.get("p1");
    projects.list({ workspaceId: "w" });
    projects.delete("none");
    expect(() => projects.insert(sampleRows.projects("p1"))).toThrow();
    expect(() => projects.update("none", {})).toThrow();
    expect(store.hasChangedSinceLastCall()).toBe(false);
    projects.delete("p1");
    expect(store.hasChangedSinceLastCall()).toBe(true);
  });
});
