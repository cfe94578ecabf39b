import { readFileSync } from "node:fs";
import { join } from "node:path";
import { jsonFile } from "../runner/json.js";
import { benchFolder } from "../runner/paths.js";
import type { Cell } from "./row.js";

/** What was measured last. The page is written from it. */
export interface Measured {
  readonly sdks: readonly MeasuredSdk[];
  readonly sections: readonly {
    readonly title: string;
    readonly about: string;
    readonly rows: readonly MeasuredRow[];
  }[];
}

/** `name` is that of its file in `sdks/`. */
export interface MeasuredSdk {
  readonly name: string;
  readonly package: string;
  readonly version: string;
}

export interface MeasuredRow {
  readonly title: string;
  readonly reason?: string;
  /** By the names of SDKs. */
  readonly cells: Readonly<Record<string, Cell>>;
}

export const { read: readMeasured, write: writeMeasured } = jsonFile<Measured>("compare/measured.json");

/** Returns the version of a package that only the benches need. */
export const installedVersion = (name: string): string => {
  const manifest = readFileSync(join(benchFolder, "node_modules", name, "package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(manifest);
  return version;
};
