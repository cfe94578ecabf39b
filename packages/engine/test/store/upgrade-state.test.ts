import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ReferenceEngine } from "../../src/composition/reference-engine.js";
import { type Snapshot, readSnapshot } from "../../src/composition/snapshot.js";
import { canonicalJson } from "../../src/request/approvals.js";
import { OAuthApi } from "../oauth/oauth-api.js";
import { brokenInvariants } from "../rules/invariants.js";
import { fillLikeVersion1 } from "./version-1.js";

const stored = (): unknown => JSON.parse(readFileSync(new URL("snapshot-1.json", import.meta.url), "utf8"));

/**
 * Replaces ids and other random texts by their order of appearance, because versions draw different numbers
 * of them.
 */
const withoutRandomness = (snapshot: Snapshot): unknown => {
  const seen = new Map<string, string>();
  const text = canonicalJson({ ...snapshot, random: null });
  return JSON.parse(
    text.replace(/[\w-]{8,}/g, (random) => {
      if (!/\d/.test(random) || /^\d+$/.test(random)) return random;
      if (!seen.has(random)) seen.set(random, `random ${String(seen.size)}`);
      return seen.get(random) ?? random;
    }),
  );
};

describe("a snapshot of version 1", () => {
  it("is upgraded to what this version stores after the same requests", async () => {
    const api = await OAuthApi.open();
    await fillLikeVersion1(api);
    expect(withoutRandomness(readSnapshot(stored()))).toEqual(withoutRandomness(await api.engine.snapshot()));
  });

  it("starts a server and is loaded into one, with the rows that repeat fields of others", async () => {
    const started = new ReferenceEngine({ snapshot: stored() as Snapshot });
    const loaded = new ReferenceEngine({ seed: "another" });
    await loaded.load(stored() as Snapshot);
    for (const { store } of [started, loaded]) {
      expect(store.databases.size + store.apps.size + store.connections.size).toBe(9);
      expect(brokenInvariants(store)).toEqual([]);
    }
  });

  it("is not modified itself", () => {
    const snapshot = stored();
    readSnapshot(snapshot);
    expect(snapshot).toEqual(stored());
  });

  it("is refused when a collection is missing, with the collection's name", () => {
    const snapshot = stored() as { store: Record<string, unknown> };
    delete snapshot.store["branches"];
    expect(() => readSnapshot(snapshot)).toThrow("The snapshot's store has no branches");
  });
});
