import { describe, expect, it } from "vitest";
import { buildCopyStrategy, buildEmptyStrategy, mustCheckpointFirst } from "./copy-strategy.js";

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
    const source = { version, bytes: bytes === null ? null : String(bytes), clones: false };
    expect(buildCopyStrategy(source)).toBe(strategy);
  });

  it.each([
    [true, limit / 2, true],
    [true, null, true],
    [true, limit / 2 - 1, false],
    [false, limit, false],
  ])("comes after a checkpoint with clones %s and %s bytes: %s", (clones, bytes, expected) => {
    const source = { version: 180_004, bytes: bytes === null ? null : String(bytes), clones };
    expect(mustCheckpointFirst(source)).toBe(expected);
  });
});
