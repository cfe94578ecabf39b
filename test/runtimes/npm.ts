import { execFileSync } from "node:child_process";

/** Runs npm in a folder, without install scripts. Returns its output. */
export const npm = (folder: string, ...words: string[]): string =>
  execFileSync("npm", [...words, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
  });
