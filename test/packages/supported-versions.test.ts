import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { packageFolders } from "../../scripts/packages.mjs";

/** The package has no types. */
const { satisfies }: { satisfies(version: string, range: string): boolean } = createRequire(import.meta.url)(
  "semver",
);

const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Manifest {
  name: string;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, unknown>;
}
const manifests = packageFolders.map((name): Manifest => JSON.parse(read(`packages/${name}/package.json`)));

interface Locked {
  /** The real name, if this is an alias. */
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Returns the names and versions of what a folder asks for, as its lockfile installs them. */
const installedFor = (lockfile: string, folder = ""): { name: string; version: string }[] => {
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(read(lockfile));
  const { dependencies, devDependencies } = packages[folder] ?? {};
  return Object.keys({ ...dependencies, ...devDependencies }).flatMap((alias) => {
    const nearest = packages[`${folder}/node_modules/${alias}`] ?? packages[`node_modules/${alias}`];
    return nearest?.version === undefined ? [] : [{ name: nearest.name ?? alias, version: nearest.version }];
  });
};
/** What the tests install: the tools of this repository, and those of `npm run test:full -- matrix`. */
const installed = [
  ...installedFor("package-lock.json"),
  ...installedFor("package-lock.json", "packages/mock"),
  ...installedFor("package-lock.json", "test/browser"),
  ...installedFor("test/runtimes/package-lock.json"),
  ...installedFor("test/runtimes/package-lock.json", "older"),
  ...installedFor("test/runtimes/package-lock.json", "newest"),
];
const versionsOf = (name: string): string[] =>
  installed.filter((each) => each.name === name).map(({ version }) => version);

/** Returns the distinct beginnings of versions, such as `5.4` for two parts, oldest first. */
const beginningsOf = (versions: readonly string[], parts: number): string[] => {
  const distinct = new Set(versions.map((version) => version.split(".").slice(0, parts).join(".")));
  return [...distinct].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
};

describe("the peer dependencies of the packages", () => {
  const ranges = manifests.flatMap(({ name, peerDependencies = {} }) =>
    Object.entries(peerDependencies)
      .filter(([peer]) => !peer.startsWith("@mgmt/"))
      .map(([peer, range]) => ({ name, peer, range })),
  );

  it.each(ranges)(
    "begin with a tested version, and accept all newer ones: $name, $peer $range",
    ({ peer, range }) => {
      const versions = versionsOf(peer);
      const next = `${String(Number(beginningsOf(versions, 1).at(-1)) + 1)}.0.0`;
      expect([...versions, next].filter((version) => !satisfies(version, range))).toEqual([]);
      const [, oldest = ""] = /^>=([\d.]+)$/.exec(range) ?? [];
      expect(beginningsOf(versions, oldest.split(".").length)[0]).toBe(oldest);
    },
  );

  it("have no range for Vitest, because npm 10 on Node.js 20 then crashes while it installs the mock alone", () => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } =
      manifests.find(({ name }) => name === "@mgmt/mock") ?? {};
    expect(peerDependencies).not.toHaveProperty("vitest");
    // pnpm and Yarn let the mock import a peer that is named here alone.
    expect(peerDependenciesMeta).toHaveProperty("vitest");
  });
});
