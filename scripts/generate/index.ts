import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadContract, root } from "./contract/contract.js";
import { writeBuildOutput } from "./build-output.js";
import { generateCli } from "./cli/cli.js";
import { cliDocsFolder, generateCliDocs } from "./docs/cli.js";
import { generateCommandTree } from "./cli/command-tree.js";
import { loadDeclarations } from "./cli/declarations.js";
import { generateCliPrinted } from "./cli/printed.js";
import { generateMcpTools } from "./cli/mcp-tools.js";
import { generateComparison } from "./docs/comparison.js";
import { generateControlDocument } from "./engine/control-document.js";
import { generateEngine } from "./engine/engine.js";
import { markFresh } from "./fresh-build-output.js";
import { lintContract } from "./contract/lint.js";
import { printLlmsIndex } from "./docs/llms.js";
import { generateGuides } from "./docs/guides.js";
import { generateMockReference } from "./docs/mock-reference.js";
import { generatePerformance } from "./docs/performance.js";
import { generateReference, referenceFolder } from "./docs/sdk-reference.js";
import { generateSdk } from "./sdk/sdk.js";
import { generateInternal } from "./internal/internal.js";
import { generateSkill } from "./docs/skill.js";
import { generateWhy } from "./docs/why.js";

const findings = await lintContract();
if (findings.length > 0) {
  console.error(findings.join("\n"));
  process.exit(1);
}
const contract = await loadContract();
const checking = process.argv.includes("--check");
const stale: string[] = [];

const update = async (files: Map<string, string>): Promise<void> => {
  for (const [path, content] of files) {
    const target = join(root, path);
    const present = await readFile(target, "utf8").catch(() => undefined);
    if (present === content) continue;
    stale.push(path);
    if (checking) continue;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
};

/** Does the same for a whole folder: pages that were not generated now are out of date. */
const updateFolder = async (folder: string, files: Map<string, string>): Promise<void> => {
  await update(files);
  for (const name of await readdir(join(root, folder)).catch(() => [])) {
    const path = `${folder}/${name}`;
    if (files.has(path)) continue;
    stale.push(path);
    if (!checking) await rm(join(root, path));
  }
};

const sdk = await generateSdk(contract);
await update(sdk);
await updateFolder(referenceFolder, await generateReference(contract, sdk));
await update(generateEngine(contract));
await update(await generateInternal(contract));
await update(await generateCli(contract));
await update(await generateMcpTools(contract));
await update(await generateControlDocument());
await update(await generateMockReference());

// The sources of the CLI import what was generated above.
const declarations = await loadDeclarations();
await update(await generateCommandTree(declarations, contract));
await update(await generateCliPrinted(declarations));
const { readCliHelp } = await import("../cli-help.js");
const { topics } = await import("../../packages/cli/src/commands/help/topics.js");
const commands = await readCliHelp();
await updateFolder(cliDocsFolder, await generateCliDocs(commands, topics));

await update(await generateGuides());
await update(await generateSkill(contract, commands));
await update(await generateComparison());
await update(await generatePerformance());
await update(await generateWhy());

// It lists the pages that were generated above.
await update(new Map([["llms.txt", printLlmsIndex()]]));

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
