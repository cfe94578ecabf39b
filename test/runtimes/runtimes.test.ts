import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));
const manifest: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(`${folder}package.json`, "utf8"),
);
const versions = Object.keys(manifest.dependencies).map((name) => name.replace("node-", ""));

beforeAll(() => {
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "ignore",
  });
});

it.each(versions)("the built packages work on Node %s, from the SDK to a real database", async (version) => {
  const node = `${folder}node_modules/node-${version}/bin/node`;
  const { stdout } = await promisify(execFile)(node, ["--version"]);
  expect(stdout).toMatch(new RegExp(`^v${version}\\.`));
  await promisify(execFile)(node, [`${folder}smoke.mjs`]);
});
