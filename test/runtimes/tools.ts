import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "./npm.js";

/** The runtimes and compilers of this folder's own `package.json`. */
export const tools = fileURLToPath(new URL("./node_modules/", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));

/** Returns the program of a version of Node.js. Call `installTools` first. */
export const nodeProgram = (major: string): string => join(tools, `node-${major}`, "bin/node");

/** Returns the name among the tools of the oldest supported version of a tool. */
export const older = (name: string): string => `mgmt-runtimes-older/node_modules/${name}`;

/** Installs the tools unless those of this lockfile are present. */
export const installTools = (): void => {
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
