import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/generate/contract.js";

export interface Block {
  /** `README.md:24` */
  where: string;
  language: string;
  /** The word after the language says what a test does with the block. */
  use: string;
  text: string;
}

/** The fenced code blocks of a Markdown file. */
export const blocksOf = (file: string): Block[] => {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = /^```(\w*) ?(\w*)/.exec(line);
    if (!fence) {
      if (open) open.text += `${line}\n`;
    } else if (open) {
      blocks.push(open);
      open = undefined;
    } else {
      const [, language = "", use = ""] = fence;
      open = { where: `${file}:${index + 1}`, language, use, text: "" };
    }
  }
  if (open) throw new Error(`${open.where} never ends`);
  return blocks;
};
