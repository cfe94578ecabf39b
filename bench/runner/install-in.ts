import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Installation {
  readonly folder: string;
  readonly packages: number;
  readonly bytes: number;
}

/** Installs packages in a new folder with an empty cache, without install scripts. Throws if npm fails. */
export const installIn = (parent: string, specifiers: readonly string[]): Installation => {
  const cache = mkdtempSync(join(parent, "cache-"));
  const folder = mkdtempSync(join(parent, "installed-"));
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--cache", cache];
  const { status, stderr } = spawnSync("npm", ["install", ...specifiers, ...flags], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm could not install ${specifiers.join(" ")}: ${stderr}`);
  const modules = join(folder, "node_modules");
  const { packages }: { packages: object } = JSON.parse(
    readFileSync(join(modules, ".package-lock.json"), "utf8"),
  );
  const present = Object.keys(packages).filter((location) => isDirectory(join(folder, location)));
  return { folder, packages: present.length, bytes: bytesIn(modules) };
};

/** Packages for other systems are in the lockfile, too. */
const isDirectory = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
