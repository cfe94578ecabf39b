import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { libraries, libraryBuilds } from "../tsup.config.js";
import { buildCli } from "./build/cli.js";
import { bundleDeclarations, declarations } from "./build-declarations.js";
import { buildMan } from "./build-man.js";
import { setup as generate } from "./generate/fresh-build-output.js";
import { writeThirdPartyLicenses } from "./third-party-licenses.js";

/** `npm run build`: generates what is not committed, and builds all packages. */

const root = fileURLToPath(new URL("..", import.meta.url));

const emitDeclarations = async (): Promise<void> => {
  const compiler = "node_modules/@typescript/native/bin/tsc";
  const child = spawn(process.execPath, [compiler, "--project", "tsconfig.build.json"], {
    cwd: root,
    stdio: "inherit",
  });
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`The compiler exited with status ${String(status)}`);
};

await generate();
// Several builds write to each folder at once, so none of them can clean it.
for (const { name } of libraries) rmSync(`${root}/packages/${name}/dist`, { recursive: true, force: true });
rmSync(declarations, { recursive: true, force: true });
await Promise.all([
  ...libraryBuilds.map((options) => build({ ...options, config: false, silent: true })),
  buildCli().then(buildMan),
  emitDeclarations(),
]);
writeThirdPartyLicenses("cli");
const types = await bundleDeclarations();
for (const { name } of libraries) writeThirdPartyLicenses(name, types.get(name));
