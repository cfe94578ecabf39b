import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { manifestOf } from "./pack.js";

/** `npx tsx scripts/release/version.ts` turns the changesets into a version, and writes it where it is installed. */

/** The files that install a version of a package, and where each says which. All packages have the same version. */
export const pinned: Readonly<Record<string, RegExp>> = {
  "setup-mgmt/action.yml": /^ {4}default: (\d+\.\d+\.\d+\S*)$/m,
  "packages/cli/Dockerfile": /^ARG VERSION=(\d+\.\d+\.\d+\S*)$/m,
  "packages/mock/Dockerfile": /^ARG VERSION=(\d+\.\d+\.\d+\S*)$/m,
  "deploy/Dockerfile": /^ARG VERSION=(\d+\.\d+\.\d+\S*)$/m,
  "deploy/kubernetes/mgmt-serve.yaml": /^ +image: \S+:(\d+\.\d+\.\d+\S*)$/m,
  "docs/guides/docker.md": /@mgmt\/cli@(\d+\.\d+\.\d+\S*) /,
  "skills/mgmt/SKILL.md": /^ {2}version: "(\d+\.\d+\.\d+\S*)"$/m,
  "docs/guides/install.md": /^version=(\d+\.\d+\.\d+\S*)$/m,
};

/**
 * Returns the text of a file with another version in place of the one that it installs.
 * @param pattern its only group is the version
 */
export const pinVersion = (text: string, pattern: RegExp, version: string): string => {
  const [, old] = pattern.exec(text) ?? [];
  if (old === undefined) throw new Error("The file has no version to replace");
  return text.replaceAll(old, version);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const npm = (...words: string[]): void => {
    const shell = process.platform === "win32";
    const { status } = spawnSync("npm", words, { cwd: root, stdio: "inherit", shell });
    if (status !== 0) process.exit(status ?? 1);
  };
  npm("run", "changeset", "--", "version");
  const { version } = manifestOf("packages/cli");
  for (const [name, pattern] of Object.entries(pinned)) {
    const file = join(root, name);
    writeFileSync(file, pinVersion(readFileSync(file, "utf8"), pattern, version));
  }
  npm("install", "--package-lock-only", "--ignore-scripts");
}
