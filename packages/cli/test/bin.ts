import { mkdirSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import configs from "../../../tsup.config.js";

const folder = fileURLToPath(new URL("..", import.meta.url));
const root = join(folder, "../..");

/** The command as users run it. */
export const bin = join(folder, "dist/mgmt.js");

/** Builds the command, as `npm run build` does, when it is older than its sources; once for all test files. */
export const ensureBuilt = async (): Promise<void> => {
  const lock = join(folder, "node_modules/.building");
  for (;;) {
    if (builtAt() >= newestSource()) return;
    try {
      mkdirSync(lock, { recursive: false });
    } catch {
      await sleep(100);
      continue;
    }
    try {
      await buildBin();
    } finally {
      rmdirSync(lock);
    }
  }
};

const buildBin = async (): Promise<void> => {
  const cli = [configs].flat().find((config) => typeof config !== "function" && config.name === "cli");
  if (cli === undefined || typeof cli === "function") throw new Error("tsup.config.ts builds no cli");
  await build({ ...cli, config: false, silent: true });
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
  const others = ["tsup.config.ts", "packages/cli/package.json"].map((path) => join(root, path));
  return Math.max(...[...files, ...others].map((file) => statSync(file).mtimeMs));
};
