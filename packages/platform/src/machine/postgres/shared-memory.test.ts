import { describe, expect, it } from "vitest";
import { findAbandonedSegment } from "./shared-memory.js";

const lock = (segment: string): string =>
  ["42", "/data", "1700000000", "5432", "/data", "", segment, "ready"].join("\n");

/** The first columns are the key, the id, the permissions, the size, the creator, the last process, and the number of processes. */
const segments = `       key      shmid perms                  size  cpid  lpid nattch   uid
  16385          7   600                    56    42    42      0   999
  16386          8   600                    56    43    43      2   999
`;

describe("the shared memory of a server", () => {
  it.each([
    ["that was killed", lock("    16385         7"), "7"],
    ["that a process still uses", lock("    16386         8"), undefined],
    ["whose key another segment has", lock("    16385         8"), undefined],
    ["whose id another segment has", lock("    16399         7"), undefined],
    ["whose lock file has no segment", lock(""), undefined],
    ["whose lock file is incomplete", "42\n", undefined],
  ])("is removed only if it is abandoned: one %s", (_, lockText, expected) => {
    expect(findAbandonedSegment(lockText, segments)).toBe(expected);
  });
});
