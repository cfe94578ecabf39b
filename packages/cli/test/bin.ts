import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commonInputs, inputsOf, lastChange } from "../../../scripts/build-if-stale.mjs";
import { whileLocked } from "./build-lock.js";

const folder = fileURLToPath(new URL("..", import.meta.url));
const root = join(folder, "../..");

/** The built command. */
export const bin = join(folder, "dist/mgmt.js");

/** What the built command depends on. */
const inputs = [...commonInputs, ...["internal", "cli", "sdk"].flatMap(inputsOf)];

/** Builds the command as `npm run build` does if it is older than its sources. Concurrent test files build it once. */
export const ensureBuilt = (): Promise<void> =>
  // While another process builds, only some of the files are up to date.
  whileLocked(join(root, "node_modules/.cache/mgmt/building-cli"), async () => {
    if (builtAt() >= lastChange(inputs)) return;
    // The bundler takes longer to load than most tests take.
    const { buildCli } = await import("../../../scripts/build/cli.js");
    await buildCli();
  });

const builtAt = (): number => statSync(bin, { throwIfNoEntry: false })?.mtimeMs ?? 0;
