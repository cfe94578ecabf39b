import { describe, expect, it } from "vitest";
import {
  isGeneratedName,
  buildLogicalId,
  buildPreviewName,
  type PreviewIdentity,
  type PreviewRecord,
  parseRecord,
} from "./record.js";

const key = "shop-0123456789abcdef";
const branchId = "br_1d6f3h8k5m0p7r2t9v4x6z1b";
const identity: PreviewIdentity = { repository: key, branchId };
const empty = { pushed: false, expiresAt: undefined, commit: undefined, setupPending: false };
const complete: PreviewRecord = {
  pushed: true,
  expiresAt: "2026-12-01T12:00:00Z",
  commit: "1a2b3c4d5e6f",
  setupPending: true,
};

/** Returns a database with a logical id and a name. */
const database = (logicalId: string | null, name = "a/b", on: string | null = branchId) => ({
  logicalId,
  name,
  branchId: on,
});

describe("the logical id of a preview", () => {
  it.each<[PreviewIdentity, PreviewRecord, string]>([
    [identity, empty, `preview.${key}.${branchId}`],
    [identity, { ...empty, pushed: true }, `preview.${key}.${branchId}.pushed`],
    [
      identity,
      { ...empty, pushed: true, expiresAt: "2026-12-01T12:00:00Z" },
      `preview.${key}.${branchId}.pushed.expires-20261201T1200Z`,
    ],
    [
      { repository: null, branchId },
      { ...empty, expiresAt: "2026-12-01T12:00:00Z" },
      `preview.${branchId}.expires-20261201T1200Z`,
    ],
    [{ repository: "0123456789abcdef", branchId }, empty, `preview.0123456789abcdef.${branchId}`],
  ])("contains its repository, its branch, and what decides about its deletion", (of, record, logicalId) => {
    expect(buildLogicalId(of, record)).toBe(logicalId);
    expect(parseRecord(database(logicalId))).toEqual({ ...of, record });
  });

  it("is as long as the service accepts, whatever the repository and the branch are", () => {
    const longest = { repository: `${"x".repeat(60)}-${"0".repeat(16)}`, branchId: `br_${"x".repeat(128)}` };
    const logicalId = buildLogicalId(longest, complete);
    expect(logicalId.length).toBeLessThanOrEqual(255);
    expect(logicalId).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
  });

  it.each([
    null,
    "",
    "preview",
    "previews",
    "preview.",
    `preview.${key}`,
    `preview.mine.${branchId}`,
    `preview.${key}.br_other`,
    `preview.${key}.${branchId}.`,
    `preview.${key}.${key}.${branchId}`,
    `preview.${key}.${branchId}.pushed.pushed`,
    `preview.${key}.${branchId}.expires-20261201T1200Z.pushed`,
    `preview.${key}.${branchId}.expires-2026`,
    `Preview.${key}.${branchId}`,
    ` preview.${key}.${branchId}`,
    "reports",
  ])("is not that of another database: %j", (logicalId) => {
    expect(parseRecord(database(logicalId))).toBeUndefined();
  });

  it("is of no preview on another branch than its own, or on none", () => {
    const logicalId = buildLogicalId(identity);
    expect(parseRecord(database(logicalId, "a", "br_other"))).toBeUndefined();
    expect(parseRecord(database(logicalId, "a", null))).toBeUndefined();
  });

  it("alone decides about the deletion: a name cannot", () => {
    const name = "a/b (commit 1a2b3c4d5e6f, pushed, expires 2020-01-01T00:00Z)";
    expect(parseRecord(database(buildLogicalId(identity), name))?.record).toEqual(empty);
  });
});

describe("the name of a preview", () => {
  it.each([
    [complete, "a/b (commit 1a2b3c4d5e6f, setup pending)"],
    [{ ...empty, commit: "1a2b3c4d5e6f" }, "a/b (commit 1a2b3c4d5e6f)"],
    [{ ...empty, setupPending: true }, "a/b (setup pending)"],
    [empty, "a/b"],
  ])("contains what it tells people: %o", (record, name) => {
    expect(buildPreviewName("a/b", record)).toBe(name);
    expect(parseRecord(database(buildLogicalId(identity, record), name))?.record).toEqual(record);
    expect(isGeneratedName(name, "a/b")).toBe(true);
  });

  it.each(["x".repeat(255), "ö/🎉".repeat(63), "(commit 1a2b3c4)", "a (setup pending)"])(
    "fits within what the service accepts: %s",
    (branch) => {
      const name = buildPreviewName(branch, complete);
      expect(name.length).toBeLessThanOrEqual(256);
      expect(encodeURIComponent(name)).toContain("%20(commit%20");
      expect(parseRecord(database(buildLogicalId(identity, complete), name))?.record).toEqual(complete);
      expect(isGeneratedName(name, branch)).toBe(true);
    },
  );

  it.each([
    "mine",
    "",
    "a/b (done)",
    "a/b ()",
    "a/b (, setup pending)",
    "a/b  (setup pending)",
    "c (setup pending)",
  ])("is somebody's own after a change: %j", (name) => {
    expect(isGeneratedName(name, "a/b")).toBe(false);
  });
});
