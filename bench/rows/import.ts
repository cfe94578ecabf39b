import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { median } from "../runner/rounds.js";
import type { Measurement } from "./measurement.js";

const processes = 5;

/** A module, and an export that it must have to count as imported. */
export type Imported = readonly [specifier: string, exported: string];

export const emptyModule: Imported = ["data:text/javascript,export const nothing = 0;", "nothing"];

/** Returns the milliseconds of processor time to `import` a module in a new process: the median of a few. */
export const importCost = async (folder: string, imported: Imported): Promise<number> => {
  const times: number[] = [];
  for (let count = 0; count < processes; count += 1)
    times.push((await importOnce(folder, imported)).processor);
  return median(times);
};

/** Returns the milliseconds to `import` a module in a new process. */
export const importOnce = async (
  folder: string,
  [specifier, exported]: Imported,
): Promise<{ wall: number; processor: number }> => {
  const program = `const before = process.cpuUsage();
    const started = performance.now();
    const found = await import(${JSON.stringify(specifier)});
    const wall = performance.now() - started;
    const { user, system } = process.cpuUsage(before);
    const times = { wall, processor: (user + system) / 1_000 };
    console.log(JSON.stringify([typeof found[${JSON.stringify(exported)}], times]));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  assert.equal(status, 0, specifier);
  const [kind, times]: [string, { wall: number; processor: number }] = JSON.parse(output);
  assert.notEqual(kind, "undefined", `${specifier} does not export ${exported}`);
  return times;
};

export const sdkImport: Measurement = {
  rows: [{ title: "import of the SDK", unit: "ms" }],
  measure: async ({ folder }) => [await importCost(folder, ["@mgmt/sdk", "createClient"])],
  baseline: {
    name: "empty module",
    measure: async ({ folder }) => [await importCost(folder, emptyModule)],
  },
};
