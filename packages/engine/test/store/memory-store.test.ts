import { describe, expect, it } from "vitest";
import { MemoryCollection } from "../../src/store/memory-collection.js";
import { type Lookup, MemoryStore, type Row } from "@mgmt/engine/internal";
import { describeLookups } from "./lookup-conformance.js";
import { describeModel } from "./model-properties.js";
import { describePages } from "./page-conformance.js";
import { describeRows } from "./store-conformance.js";
import { type OpenStore, sampleRows } from "./store-under-test.js";

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

  it("refuses lookups that no key declares, although untyped programs can make them", () => {
    const keys = [{ by: ["a"], and: ["b", "c"] }, { by: ["d"] }];
    const collection = new MemoryCollection<Row, Lookup>(keys, () => undefined);
    for (const where of [{ a: 1 }, { a: 1, b: 2 }, { c: 1, a: 2 }, { d: 1, a: undefined }]) {
      expect(collection.list(where)).toEqual([]);
    }
    expect(() => collection.list({ b: 1 })).toThrow("No key has the fields b");
    expect(() => collection.count({ a: 1, d: 1 })).toThrow("No key has the fields a, d");
    expect(() => collection.find({ e: 1 })).toThrow("No key has the field e");
  });

  it("tells up to 32 fields of keys apart, and refuses more", () => {
    const listKeys = (length: number) => Array.from({ length }, (_, index) => ({ by: [`field${index}`] }));
    const row = { id: "r", createdAt: 0, field31: 1 };
    const collection = new MemoryCollection<Row, Lookup>(listKeys(32), () => undefined);
    collection.insert(row);
    expect(collection.list({ field31: 1 })).toEqual([row]);
    expect(collection.list({ field0: 1 })).toEqual([]);
    expect(() => new MemoryCollection<Row, Lookup>(listKeys(33), () => undefined)).toThrow(
      "The keys have more than 32 fields",
    );
  });
});
