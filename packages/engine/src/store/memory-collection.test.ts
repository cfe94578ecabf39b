import { describe, expect, it } from "vitest";
import { MemoryCollection } from "./memory-collection.js";
import { type Lookup, MemoryStore, type Row } from "@mgmt/engine/internal";
import { describeLookups } from "../../test/store/lookup-conformance.js";
import { describeModel } from "../../test/store/model-properties.js";
import { describePages } from "../../test/store/page-conformance.js";
import { describeRows } from "../../test/store/store-conformance.js";
import { type OpenStore } from "../../test/store/store-under-test.js";

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
