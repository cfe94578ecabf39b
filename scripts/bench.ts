import { spawnSync } from "node:child_process";

/**
 * `npm run bench` measures; its words are those of `bench/index.ts`. `npm run bench -- compare` compares the SDK with others, and
 * `npm run bench -- first-minutes` measures installations; both write their page anew.
 */

const run = (...words: string[]): void => {
  const { status } = spawnSync(process.execPath, ["--import", "tsx", ...words], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};

const [name = "", ...options] = process.argv.slice(2);
run("scripts/generate/fresh-build-output.ts");
if (name === "compare" || name === "first-minutes") {
  run(`bench/${name}/index.ts`, ...options);
  run("scripts/generate/index.ts");
} else {
  run("bench/index.ts", ...process.argv.slice(2));
}
