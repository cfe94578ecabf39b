import { readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll } from "vitest";

/** Returns how often this process has each file in the temporary folder open. Linux only. */
const countOpenFiles = (): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  if (process.platform !== "linux") return counts;
  for (const descriptor of readdirSync("/proc/self/fd")) {
    const path = readDescriptor(descriptor);
    if (path?.startsWith(`${tmpdir()}/`)) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return counts;
};

/** Returns the path of an open file; undefined if the descriptor is closed, such as that of the listing above. */
const readDescriptor = (descriptor: string): string | undefined => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
};

// Evaluated for each test file, before the file is imported.
const before = countOpenFiles();

afterAll(() => {
  const paths = [...countOpenFiles()].flatMap(([path, count]) =>
    count > (before.get(path) ?? 0) ? [path] : [],
  );
  if (paths.length > 0)
    throw new Error(`This file leaves files open: ${paths.join(", ")}. Close them when its tests end.`);
});
