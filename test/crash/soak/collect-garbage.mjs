// Preloaded into a process: on SIGUSR2, collects its garbage, and writes what it still uses.
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// NODE_OPTIONS refuses --expose-gc in old versions of Node.js.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const file = process.env.MEMORY_FILE ?? "";

process.on("SIGUSR2", () => {
  // The first collection runs finalizers, whose garbage the second one collects.
  collect();
  setImmediate(() => {
    collect();
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
    renameSync(`${file}.new`, file);
  });
});
