import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/generate/contract/contract.js";
import { packageFolders } from "../../scripts/packages.mjs";

export interface Block {
  /** File and line, such as `README.md:24`. */
  where: string;
  language: string;
  /** The word after the language, which says what a test does with the block. */
  use: string;
  text: string;
}

const markdownBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);

/** Every documentation page of the repository, the generated reference included. */
export const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ".changeset/README.md",
  "bench/README.md",
  "examples/README.md",
  ...readdirSync(join(root, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `examples/${name}/README.md`),
  ...packageFolders.map((name) => `packages/${name}/README.md`),
  ...markdownBelow("docs"),
  ...markdownBelow("skills"),
];

/** Returns the fenced code blocks of a Markdown file. */
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
  if (open) throw new Error(`${open.where} has no closing fence`);
  return blocks;
};

const outsideBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, "");

/** Returns the text of every heading. */
export const headingsOf = (text: string): string[] =>
  [...outsideBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title);

/** Returns the anchor of every heading, as GitHub derives it. */
export const anchorsOf = (text: string): string[] =>
  headingsOf(text).map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );

/** Returns the targets of all links: of those in the text, and of those that a line such as `[name]: target` defines. */
export const linksOf = (text: string): string[] =>
  [...outsideBlocks(text).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, inline, defined]) => inline ?? defined ?? "",
  );
