import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildCli } from "../../../scripts/build-cli.js";

const folder = fileURLToPath(new URL("..", import.meta.url));
const root = join(folder, "../..");

/** The built command. */
export const bin = join(folder, "dist/mgmt.js");

/** Builds the command as `npm run build` does if it is older than its sources. Concurrent test files build it once. */
export const ensureBuilt = async (): Promise<void> => {
  const cache = join(root, "node_modules/.cache/mgmt");
  mkdirSync(cache, { recursive: true });
  const lock = join(cache, "building-cli");
  for (;;) {
    // While another process builds, only some of the files are up to date.
    if (!existsSync(lock)) {
      if (builtAt() >= newestSource()) return;
      if (await buildUnder(lock)) return;
    }
    await sleep(100);
  }
};

/** Builds unless another process holds the lock. Returns whether it did. */
const buildUnder = async (lock: string): Promise<boolean> => {
  try {
    mkdirSync(lock);
  } catch {
    return false;
  }
  try {
    await buildCli();
    return true;
  } finally {
    rmdirSync(lock);
  }
};

const builtAt = (): number => {
  try {
    return statSync(bin).mtimeMs;
  } catch {
    return 0;
  }
};

const newestSource = (): number => {
  const folders = ["packages/cli/src", "packages/sdk/src"].map((path) => join(root, path));
  const files = folders.flatMap((path) =>
    readdirSync(path, { recursive: true, encoding: "utf8" }).map((file) => join(path, file)),
  );
  const others = ["scripts/build-cli.ts", "packages/cli/package.json"].map((path) => join(root, path));
  return Math.max(...[...files, ...others].map((file) => statSync(file).mtimeMs));
};
