import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPackages } from "../../scripts/release/pack.js";
import type { Bench, Finding, Series } from "../runner/bench.js";
import { goals } from "../runner/goals.js";
import { type Installation, installIn } from "../runner/install-in.js";

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
      const finding = (
        title: string,
        unit: Series["unit"],
        of: "packages" | "bytes" | "seconds",
      ): Finding => {
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
          goal: goals.install,
        },
        finding("bytes in node_modules", "B", "bytes"),
        finding("time, most of it for downloads", "s", "seconds"),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
