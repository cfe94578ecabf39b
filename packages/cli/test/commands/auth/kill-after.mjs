import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Loaded before the command: sends `KILL_SIGNAL` (default: SIGKILL) to the process right after the call of the file system that
 * `KILL_AFTER` names, as `function:end of the path`.
 */
const [, name, end] = /^(\w+):(.*)$/.exec(process.env["KILL_AFTER"] ?? "") ?? [];
const paths = new Map();

const dieIf = (called, path) => {
  if (called === name && String(path).endsWith(end))
    process.kill(process.pid, process.env["KILL_SIGNAL"] ?? "SIGKILL");
};

const { openSync, writeSync, renameSync, rmSync } = fs;
fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest);
  paths.set(descriptor, path);
  dieIf("openSync", path);
  return descriptor;
};
fs.writeSync = (descriptor, ...rest) => {
  const written = writeSync(descriptor, ...rest);
  dieIf("writeSync", paths.get(descriptor));
  return written;
};
fs.renameSync = (from, to) => {
  renameSync(from, to);
  dieIf("renameSync", to);
};
fs.rmSync = (path, ...rest) => {
  rmSync(path, ...rest);
  dieIf("rmSync", path);
};
const { link } = fs.promises;
fs.promises.link = async (from, to) => {
  await link(from, to);
  dieIf("link", to);
};
syncBuiltinESMExports();
