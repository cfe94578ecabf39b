import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { libraries, sdk } from "../tsup.config.js";
import { buildCli } from "./build/cli.js";
import { buildCommonJs } from "./build-commonjs.js";
import { bundleDeclarations, declarations } from "./build-declarations.js";
import { buildForNode } from "./build-for-node.js";
import { buildMan } from "./build-man.js";
import { setup as generate } from "./generate/fresh-build-output.js";
import { writeThirdPartyLicenses } from "./third-party-licenses.js";

/** `npm run build`: generates what is not committed, and builds all packages. */

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a program of a dependency, given by its path in `node_modules`. */
const run = async (program: string, ...args: string[]): Promise<void> => {
  const child = spawn(process.execPath, [`node_modules/${program}`, ...args], {
    cwd: root,
    stdio: "inherit",
  });
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`${program} exited with status ${String(status)}`);
};

await generate();
// Several builds write to each folder at once, so none of them can clean it.
for (const { name } of libraries) rmSync(`${root}/packages/${name}/dist`, { recursive: true, force: true });
rmSync(declarations, { recursive: true, force: true });
await Promise.all([
  buildCommonJs(),
  buildForNode(sdk),
  run("tsup/dist/cli-default.js", "--silent"),
  buildCli().then(buildMan),
  run("@typescript/native/bin/tsc", "--project", "tsconfig.build.json"),
]);
writeThirdPartyLicenses("cli");
const types = await bundleDeclarations();
for (const { name } of libraries) writeThirdPartyLicenses(name, types.get(name));
