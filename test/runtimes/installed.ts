import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { installTarballs, pack } from "./tarballs.js";
import { installTools } from "./tools.js";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder with the packed packages installed, and copies of the programs. */
    installed: string;
    /** The packed packages by name. */
    tarballs: Record<string, string>;
  }
}

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));

/** Other packages that users have, and that the programs need. */
const beside = ["@types/node", "msw", "pg"];

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
    installTarballs(folder, tarballs, Object.fromEntries(beside.map((name) => [name, versionOf(name)])));
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

const versionOf = (name: string): string => {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(root, "node_modules", name, "package.json"), "utf8"),
  );
  return manifest.version;
};
