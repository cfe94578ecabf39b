import { describe, expect, it } from "vitest";
import { computeDigest } from "./digest.js";
import { RandomIds, createRandomState } from "./random-ids.js";

describe("the generator of a seeded server", () => {
  it("returns the same sequence in every version, which recorded tests depend on", () => {
    const ids = new RandomIds(createRandomState("mgmt"));
    expect([
      ids.generateId("project"),
      ids.generateLabel(8),
      ids.generateSecret(16),
      ids.generateName(),
      ids.generateFraction(),
    ]).toEqual([
      "proj_rshv9rsn8w2yv0jr0aq45njw",
      "dp0o44ym",
      "I3VaY1w47MRKmJ4k",
      "keen-brook-9176",
      0.965484619140625,
    ]);
    expect(computeDigest(ids.generateLabel(50_000))).toBe("wzHRLP7EjQ289NZuSVZppHM31EZA-I-30nqbbA9WxSg");
  });

  it("continues from its state", () => {
    const ids = new RandomIds(createRandomState("mgmt"));
    ids.generateLabel(7);
    const { state } = ids;
    const next = ids.generateLabel(24);
    expect(new RandomIds(state).generateLabel(24)).toBe(next);
    expect(new RandomIds(state).generateLabel(24)).toBe(next);
  });

  it("differs for other seeds", () => {
    const labels = ["", "a", "b", "aa", "ab", "🐧"].map((seed) =>
      new RandomIds(createRandomState(seed)).generateLabel(24),
    );
    expect(new Set(labels).size).toBe(labels.length);
  });
});

describe("the generator of other servers", () => {
  const ids = new RandomIds(null);

  it("has no state, and repeats nothing", () => {
    expect(ids.state).toBeNull();
    expect(new Set(Array.from({ length: 1_000 }, () => ids.generateLabel(24))).size).toBe(1_000);
  });

  it("uses all characters equally often", () => {
    const text = ids.generateLabel(72_000);
    expect(text).toHaveLength(72_000);
    const counts = new Map<string, number>();
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect([...counts.keys()].sort().join("")).toBe("0123456789abcdefghijklmnopqrstuvwxyz");
    // Ten standard deviations around the mean of 2000.
    for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(450);
  });

  it("returns names of two words and four digits", () => {
    for (let count = 0; count < 100; count += 1)
      expect(ids.generateName()).toMatch(/^[a-z]+-[a-z]+-[1-9]\d{3}$/);
  });
});
