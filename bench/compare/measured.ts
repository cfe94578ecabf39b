import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

const file = join(benchFolder, "compare/measured.json");

export const readMeasured = (): Measured => {
  // Written by `writeMeasured`.
  return JSON.parse(readFileSync(file, "utf8")) as Measured;
};

export const writeMeasured = (measured: Measured): void => {
  writeFileSync(file, `${JSON.stringify(measured, undefined, 2)}\n`);
};
