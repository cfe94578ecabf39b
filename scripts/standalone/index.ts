import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { manifestOf } from "../release/pack.js";
import { buildArchive } from "./archive.js";

const usage = `npx tsx scripts/standalone/index.ts [--node FILE] [--out DIR]

Builds mgmt for this system as one program that needs no Node.js, and packs it with its licenses. Build the packages before.

  --node FILE   the program of Node.js that it contains, as it is published (default: the one that runs this)
  --out DIR     where to write the archive (default: dist/standalone)

Exits with 1 if it cannot be built, and with 2 on wrong usage.
`;

const root = fileURLToPath(new URL("../../", import.meta.url));

const readArguments = () => {
  try {
    const options = { node: { type: "string" }, out: { type: "string" }, help: { type: "boolean" } } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return process.exit(2);
  }
};

const { node = process.execPath, out = "dist/standalone", help } = readArguments();
if (help) {
  process.stdout.write(usage);
} else {
  const { version } = manifestOf("packages/cli");
  console.log(await buildArchive(resolve(node), version, resolve(root, out)));
}
