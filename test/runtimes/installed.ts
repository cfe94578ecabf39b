import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder with the packed packages installed, and copies of the programs. */
    installed: string;
    /** The packed packages by name. */
    tarballs: Record<string, string>;
  }
}

/** The runtimes and compilers of this folder's own `package.json`. */
export const tools = fileURLToPath(new URL("./node_modules/", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));

/** Other packages that users have, and that the programs need. */
const beside = ["@types/node", "msw", "pg"];

const npm = (folder: string, ...words: string[]): string =>
  execFileSync("npm", [...words, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
  });

let folder: string | undefined;

/**
 * Installs the tools unless those of this lockfile are present, packs the packages, and installs them in a
 * folder of their own.
 */
export const setup = (project: TestProject): void => {
  installTools();
  folder = mkdtempSync(join(tmpdir(), "mgmt-installed-"));
  try {
    const tarballs = pack(folder);
    const dependencies = {
      ...Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`])),
      ...Object.fromEntries(beside.map((name) => [name, versionOf(name)])),
    };
    const manifest = { private: true, type: "module", dependencies };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    npm(folder, "install", "--prefer-offline");
    cpSync(join(here, "programs"), folder, { recursive: true });
    project.provide("installed", folder);
    project.provide("tarballs", tarballs);
  } catch (error) {
    teardown();
    throw error;
  }
};

export const teardown = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
};

const installTools = (): void => {
  const lockfile = readFileSync(join(here, "package-lock.json"), "utf8");
  const stamp = join(tools, ".installed-lockfile");
  if (read(stamp) === lockfile) return;
  npm(here, "ci");
  writeFileSync(stamp, lockfile);
};

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};

const pack = (folder: string): Record<string, string> => {
  const packed: { name: string; filename: string }[] = JSON.parse(
    npm(root, "pack", "--workspaces", "--json", "--pack-destination", folder),
  );
  return Object.fromEntries(
    packed.map(({ name, filename }) => [name, join(folder, filename.replace("@", "").replace("/", "-"))]),
  );
};

const versionOf = (name: string): string => {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(root, "node_modules", name, "package.json"), "utf8"),
  );
  return manifest.version;
};
