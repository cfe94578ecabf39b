import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadContract, root } from "./contract.js";
import { writeBuildOutput } from "./build-output.js";
import { generateCli } from "./cli.js";
import { generateEngine } from "./engine.js";
import { markFresh } from "./fresh-build-output.js";
import { lintContract } from "./lint.js";
import { generateReference, referenceFolder } from "./sdk-reference.js";
import { generateSdk } from "./sdk.js";

const findings = await lintContract();
if (findings.length > 0) {
  console.error(findings.join("\n"));
  process.exit(1);
}
const contract = await loadContract();
const checking = process.argv.includes("--check");
const stale: string[] = [];

const sdk = await generateSdk(contract);
const reference = await generateReference(contract, sdk);
for (const files of [sdk, reference, generateEngine(contract), await generateCli(contract)]) {
  for (const [path, content] of files) {
    const target = join(root, path);
    const present = await readFile(target, "utf8").catch(() => undefined);
    if (present === content) continue;
    stale.push(path);
    if (checking) continue;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
}

// The whole folder is generated, so pages that were not generated now are out of date.
for (const name of await readdir(join(root, referenceFolder)).catch(() => [])) {
  const path = `${referenceFolder}/${name}`;
  if (reference.has(path)) continue;
  stale.push(path);
  if (!checking) await rm(join(root, path));
}

if (!checking) {
  await writeBuildOutput(contract);
  markFresh();
}
if (checking && stale.length > 0) {
  console.error(`Generated files are stale; run \`npm run generate\`:\n${stale.join("\n")}`);
  process.exit(1);
}
console.log(
  `${contract.operations.length} operations, ${stale.length} file(s) ${checking ? "stale" : "written"}`,
);
