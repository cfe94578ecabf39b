import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A module, and an export that it must have to count as imported. */
export type Imported = readonly [specifier: string, exported: string];

export const emptyModule: Imported = ["data:text/javascript,export const nothing = 0;", "nothing"];

const program = `const [specifier, exported] = process.argv.slice(1);
const before = process.cpuUsage();
const started = performance.now();
const found = await import(specifier);
const wall = performance.now() - started;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify([exported in found, { wall, processor: (user + system) / 1_000 }]));`;

/** Returns the milliseconds to `import` a module in a new process. */
export const importOnce = async (
  cwd: string,
  imported: Imported,
): Promise<{ wall: number; processor: number }> => {
  const parameters = ["--input-type=module", "--eval", program, ...imported];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd });
  const [isComplete, times]: [boolean, { wall: number; processor: number }] = JSON.parse(stdout);
  assert.ok(isComplete, `${imported.join(" does not export ")}`);
  return times;
};
