import { statfs } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { chooseEphemeralParent } from "./data-dir/directories.js";
import { readBytesInUse, readMemoryLimits } from "./memory-limits.js";

const mebibyte = 1024 ** 2;
const directory = await chooseEphemeralParent();

describe("a database in memory", () => {
  it("has a limit only on a file system in memory", async () => {
    const { type, bavail, bsize } = await statfs(directory);
    const isInMemory = type === 0x0102_1994;
    const limits = await readMemoryLimits(directory);
    expect(limits === undefined).toBe(!isInMemory);
    if (isInMemory) expect(limits).toMatchObject({ maxBytesPerDatabase: 1024 * mebibyte });
    expect(limits?.maxTotalBytes ?? 0).toBeLessThanOrEqual(bavail * bsize);
    expect(limits?.maxTotalBytes ?? Infinity).toBeGreaterThan(bavail);
  });

  it("counts the bytes that are in use, not those that are free", async () => {
    const { blocks, bfree, bsize } = await statfs(directory);
    expect(await readBytesInUse(directory)).toBeLessThan((blocks - bfree / 2) * bsize);
  });

  it.skipIf(process.platform !== "linux")("has no limit on another file system", async () => {
    expect(await readMemoryLimits("/proc")).toBeUndefined();
  });
});
