import { describe, expect, it } from "vitest";
import type { Lookup, Row } from "@mgmt/engine/internal";
import { MemoryCollection } from "./memory-collection.js";

describe("a collection in memory", () => {
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
