import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPackages } from "../../scripts/release/pack.js";
import type { Bench, Finding, Series } from "../runner/bench.js";

interface Contender {
  readonly name: string;
  /** What a user names in `npm install`; packages of this repository are installed from their tarballs. */
  readonly packages: readonly string[];
}

const ours: readonly Contender[] = [
  { name: "@mgmt/cli", packages: ["@mgmt/cli"] },
  { name: "@mgmt/cli with mgmt dev", packages: ["@mgmt/cli", "@mgmt/platform", "@mgmt/engine"] },
  { name: "@mgmt/sdk", packages: ["@mgmt/sdk"] },
  { name: "@mgmt/mock with msw", packages: ["@mgmt/mock", "@mgmt/engine", "msw"] },
];
const others: readonly Contender[] = ["@prisma/management-api-sdk", "prisma", "stripe", "@stripe/cli"].map(
  (name) => ({ name, packages: [name] }),
);

/** Measures installations in an empty folder with an empty cache. Needs a network. */
export const install: Bench = {
  name: "install",
  about: "npm install of each packed package in an empty folder with an empty cache, without install scripts",
  run: async (rounds = 1) => {
    const folder = mkdtempSync(join(tmpdir(), "mgmt-bench-install-"));
    try {
      const packed = await packPackages(folder);
      const tarballs = new Map(packed.map(({ name, tarball }) => [name, tarball]));
      const measured: { name: string; installations: Installation[] }[] = [];
      for (const { name, packages } of [...ours, ...others]) {
        const specifiers = packages.map((each) => tarballs.get(each) ?? each);
        const runs: (Installation | undefined)[] = Array.from({ length: rounds }, () =>
          installIn(folder, specifiers),
        );
        const installations = runs.filter((run) => run !== undefined);
        if (installations.length === rounds) measured.push({ name, installations });
        else if (ours.some((each) => each.name === name)) assert.fail(`npm could not install ${name}`);
        else console.log(`  not compared with ${name}, which could not be installed`);
      }
      const finding = (title: string, unit: Series["unit"], of: keyof Installation): Finding => {
        const series = measured.map(({ name, installations }): Series => {
          return { name, unit, rounds: installations.map((each) => each[of]) };
        });
        const [subject, ...rest] = series;
        assert.ok(subject);
        return { title, subject, others: rest };
      };
      return [
        {
          ...finding("installed packages", "packages", "packages"),
          goal: { of: "median", relation: "≤", limit: 40 },
        },
        finding("bytes in node_modules", "B", "bytes"),
        finding("time, most of it for downloads", "s", "seconds"),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Installation {
  readonly packages: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Returns undefined if npm fails. */
const installIn = (parent: string, specifiers: readonly string[]): Installation | undefined => {
  const folder = mkdtempSync(join(parent, "installed-"));
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const cache = ["--cache", mkdtempSync(join(parent, "cache-"))];
  const started = performance.now();
  const { status, stderr } = spawnSync("npm", ["install", ...specifiers, ...flags, ...cache], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const seconds = (performance.now() - started) / 1_000;
  if (status !== 0) {
    console.log(stderr);
    return undefined;
  }
  const modules = join(folder, "node_modules");
  const { packages }: { packages: object } = JSON.parse(
    readFileSync(join(modules, ".package-lock.json"), "utf8"),
  );
  const present = Object.keys(packages).filter((location) => isDirectory(join(folder, location)));
  return { packages: present.length, bytes: bytesIn(modules), seconds };
};

/** Packages for other systems are in the lockfile, too. */
const isDirectory = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
