import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const outputs = [
  "packages/sdk/openapi.json",
  "packages/engine/src/generated/validators.js",
  "packages/engine/src/generated/contract-text.js",
];
/** The lockfile stands for the versions of the tools. */
const inputs = ["openapi", "scripts/generate", "redocly.yaml", "package-lock.json"];
/** Contains the hash of the inputs of the present outputs. */
const stamp = "node_modules/.cache/mgmt/build-output";

/** Writes the generated files that are not committed, unless they are up to date. Vitest calls it before the tests. */
export const setup = async (): Promise<void> => {
  if (isFresh()) return;
  // The generator takes a second to load.
  const { loadContract } = await import("./contract/contract.js");
  const { writeBuildOutput } = await import("./build-output.js");
  await writeBuildOutput(await loadContract());
  markFresh();
};

const isFresh = (): boolean =>
  [...outputs, stamp].every((path) => existsSync(join(root, path))) &&
  readFileSync(join(root, stamp), "utf8") === hash();

/** Records that the outputs were generated from the present inputs. */
export const markFresh = (): void => {
  mkdirSync(join(root, dirname(stamp)), { recursive: true });
  writeFileSync(join(root, stamp), hash());
};

const hash = (): string => {
  const sum = createHash("sha256");
  for (const file of inputs.flatMap((path) => filesOf(join(root, path)))) sum.update(readFileSync(file));
  return sum.digest("hex");
};

const filesOf = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .sort()
        .flatMap((name) => filesOf(join(path, name)))
    : [path];

if (process.argv[1] === fileURLToPath(import.meta.url)) await setup();
