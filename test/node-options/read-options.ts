import { execFileSync } from "node:child_process";

/** The versions of Node.js that run the CLI. */
export const nodeVersions = [20, 22, 24, 26] as const;

/** Returns the options that a version of Node.js has, one on each line: those of its help, and those that NODE_OPTIONS may have. */
export const readOptions = (node: string): string => {
  const run = (...args: string[]): string => execFileSync(node, args, { encoding: "utf8", env: {} });
  const help = run("--help").matchAll(/(?:^ +|, )(-[a-zA-Z]\b|--[a-z][a-z0-9-]*)/gm);
  const allowed = run("-p", "[...process.allowedNodeEnvironmentFlags].join(' ')").matchAll(
    /(?<!\S)(-[a-zA-Z]\b|--[a-z][a-z0-9-]*)/g,
  );
  const names = [...help, ...allowed].map(([, name = ""]) => name);
  return [...new Set(names)].sort().join("\n") + "\n";
};

/** Returns the options in the file of a version. */
export const optionsFile = (version: number): URL => new URL(`node-${String(version)}.txt`, import.meta.url);
