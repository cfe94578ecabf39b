import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ReferenceEngine } from "../../src/composition/reference-engine.js";
import { type Snapshot, readSnapshot } from "../../src/composition/snapshot.js";
import { OAuthApi } from "../oauth/oauth-api.js";
import { brokenInvariants } from "../rules/invariants.js";
import { fillLikeVersion1 } from "./version-1.js";

const stored = (): unknown => JSON.parse(readFileSync(new URL("snapshot-1.json", import.meta.url), "utf8"));

describe("a snapshot of version 1", () => {
  it("is upgraded to what this version stores after the same requests", async () => {
    const api = new OAuthApi();
    await fillLikeVersion1(api);
    expect(readSnapshot(stored())).toEqual(api.engine.snapshot());
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

  it("is itself left as it is", () => {
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
