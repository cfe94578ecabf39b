import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchFolder } from "./paths.js";

/** Returns how a file of this folder with measurements is read and written. */
export const jsonFile = <Content>(path: string) => {
  const file = join(benchFolder, path);
  return {
    // Nothing else writes the file.
    read: (): Content => JSON.parse(readFileSync(file, "utf8")) as Content,
    write: (content: Content): void => {
      // A run that is killed leaves the earlier file or the new one.
      writeFileSync(`${file}.new`, `${JSON.stringify(content, rounded, 2)}\n`);
      renameSync(`${file}.new`, file);
    },
  };
};

/** Five digits are more than a measurement is good for. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
