import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const hour = 3_600_000;

/** By how much the clock of the platform is moved, in milliseconds. */
export const clockOffsets = [24 * hour, -24 * hour, 30 * 24 * hour, 0];

/** Writes a module that moves the clock of Node.js by the milliseconds in a file. Returns the file, and variables that load the module. */
export const makeMovedClock = async (directory: string) => {
  const file = join(directory, "clock-offset");
  const module = join(directory, "clock.mjs");
  await writeFile(file, "0");
  await writeFile(
    module,
    `import { readFileSync } from "node:fs";
    const RealDate = Date;
    const now = () => RealDate.now() + Number(readFileSync(${JSON.stringify(file)}, "utf8"));
    globalThis.Date = class extends RealDate {
      constructor(...values) {
        super(...(values.length === 0 ? [now()] : values));
      }
      static now() {
        return now();
      }
    };`,
  );
  return { file, environment: { NODE_OPTIONS: `--import=${pathToFileURL(module).href}` } };
};
