import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../runner/paths.js";

const lockfile = "package-lock.json";

/**
 * Returns a folder with the dependencies that a lockfile names: the root of the repository if it has the same lockfile, or a folder
 * in `cache`, where they are installed once.
 */
const installationOf = (checkout: string, cache: string): string => {
  const lock = readFileSync(join(checkout, lockfile));
  if (lock.equals(readFileSync(join(root, lockfile)))) return root;
  const hash = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const folder = join(cache, `installed-${hash}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const manifests = readdirSync(join(checkout, "packages")).map((name) => `packages/${name}/package.json`);
  for (const file of ["package.json", lockfile, ...manifests]) {
    cpSync(join(checkout, file), join(unfinished, file));
  }
  // npm would take the folder for a part of the repository that contains it.
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", unfinished];
  const { status } = spawnSync("npm", ["ci", ...flags], { cwd: unfinished, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`npm ci failed in ${unfinished}`);
  renameSync(unfinished, folder);
  return folder;
};

/**
 * Gives a checkout its dependencies. They are linked, and its own packages are not, so that Node.js takes the same steps to find
 * a module in every checkout.
 */
export const linkDependencies = (checkout: string, cache: string): void => {
  const installation = installationOf(checkout, cache);
  const packages = readdirSync(join(checkout, "packages"));
  const own = new Map(
    packages.map((name) => {
      const manifest: { name: string } = JSON.parse(
        readFileSync(join(checkout, "packages", name, "package.json"), "utf8"),
      );
      return [manifest.name, join(checkout, "packages", name)];
    }),
  );
  const modules = join(checkout, "node_modules");
  mkdirSync(modules, { recursive: true });
  const scopes = new Set([...own.keys()].map((name) => name.split("/", 1)[0]));
  for (const name of readdirSync(join(installation, "node_modules"))) {
    // What the build caches belongs to one commit.
    if (name === ".cache" || scopes.has(name)) continue;
    link(join(installation, "node_modules", name), join(modules, name));
  }
  for (const [name, folder] of own) link(folder, join(modules, name));
  for (const name of packages) {
    const nested = join(installation, "packages", name, "node_modules");
    if (existsSync(nested)) link(nested, join(checkout, "packages", name, "node_modules"));
  }
};

const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) symlinkSync(target, path, "junction");
};
