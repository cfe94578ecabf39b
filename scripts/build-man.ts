import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { topics } from "../packages/cli/src/commands/help/topics.js";
import { readCliHelp } from "./cli-help.js";
import { manPages } from "./man-pages.js";

const folder = fileURLToPath(new URL("../packages/cli/dist/man/", import.meta.url));

/** Writes the manual pages of the command line into its package, compressed. */
export const buildMan = async (): Promise<void> => {
  const manifest = readFileSync(new URL("../packages/cli/package.json", import.meta.url), "utf8");
  const { version }: { version: string } = JSON.parse(manifest);
  mkdirSync(folder, { recursive: true });
  for (const [name, page] of manPages(await readCliHelp(), topics, version)) {
    writeFileSync(`${folder}${name}.gz`, gzipSync(page, { level: 9 }));
  }
};
