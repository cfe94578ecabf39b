import { describe, expect, it } from "vitest";
import { buildCopyStrategy, buildEmptyStrategy } from "./copy-strategy.js";

describe("the strategy for an empty database", () => {
  it.each([
    [140_022, true, ""],
    [140_022, false, ""],
    [150_002, true, "strategy wal_log"],
    [180_004, true, "strategy wal_log"],
    [180_004, false, "strategy file_copy"],
  ])("with version %s and fsync %s is: %s", (version, fsync, strategy) => {
    expect(buildEmptyStrategy({ version, fsync })).toBe(strategy);
  });
});

describe("the strategy for a copy", () => {
  const limit = 32 * 1024 * 1024;

  it.each([
    ["no strategies", 140_022, 0, ""],
    ["a log that loses changes of the source", 150_002, 0, "strategy file_copy"],
    ["strategies", 150_003, limit - 1, "strategy wal_log"],
    ["strategies", 150_003, limit, "strategy file_copy"],
    ["strategies", 180_004, limit - 1, "strategy wal_log"],
    ["strategies", 180_004, null, "strategy file_copy"],
  ])("with %s, version %s, and %s bytes is: %s", (_, version, bytes, strategy) => {
    expect(buildCopyStrategy({ version, bytes: bytes === null ? null : String(bytes) })).toBe(strategy);
  });
});
