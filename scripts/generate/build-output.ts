import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Contract, root } from "./contract/contract.js";
import { printContractText } from "./engine/contract-text.js";
import { bundleValidators } from "./engine/validators.js";
import { publishedDocument } from "./contract/published-document.js";

/** Returns the contract as it is published with the SDK. */
export const printDocument = (contract: Contract): string =>
  `${JSON.stringify(publishedDocument(contract), undefined, 2)}\n`;

/** Writes the generated files that are too large to commit. */
export const writeBuildOutput = async (contract: Contract): Promise<void> => {
  write("packages/sdk/openapi.json", printDocument(contract));
  write("packages/engine/src/generated/validators.js", await bundleValidators(contract));
  write("packages/engine/src/generated/contract-text.js", printContractText(contract));
};

/** An unchanged file keeps its modification time, so that it does not make the build stale. */
const write = (path: string, content: string): void => {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, "utf8") === content) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};
