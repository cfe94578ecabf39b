import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The versions with which every page passed. */
export interface Lock {
  /** When. Packages that are not among the versions are taken as they were then. */
  time: string;
  /** Versions by package, the newest last. */
  versions: Readonly<Record<string, readonly string[]>>;
}

/** A package and one of its versions. */
export type Locked = readonly [name: string, version: string];

const file = fileURLToPath(new URL("./last-good.json", import.meta.url));

export const readLock = (): Lock => JSON.parse(readFileSync(file, "utf8"));

const order = new Intl.Collator("en", { numeric: true });

/** Returns packages with their versions, in a stable order. */
export const lockOf = (time: Date, all: readonly Locked[]): Lock => {
  const byName = new Map<string, Set<string>>();
  for (const [name, version] of all) byName.set(name, (byName.get(name) ?? new Set()).add(version));
  const sorted = [...byName].sort(([one], [other]) => (one < other ? -1 : 1));
  const versions = sorted.map(([name, found]) => [name, [...found].sort(order.compare)] as const);
  return { time: time.toISOString(), versions: Object.fromEntries(versions) };
};

export const writeLock = (lock: Lock): void => {
  const lines = Object.entries(lock.versions).map(
    ([name, versions]) =>
      `    ${JSON.stringify(name)}: [${versions.map((each) => JSON.stringify(each)).join(", ")}]`,
  );
  writeFileSync(
    file,
    `{\n  "time": ${JSON.stringify(lock.time)},\n  "versions": {\n${lines.join(",\n")}\n  }\n}\n`,
  );
};
