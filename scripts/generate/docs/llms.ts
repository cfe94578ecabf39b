import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path/posix";
import { packageFolders } from "../../packages.mjs";
import { root } from "../contract/contract.js";

/**
 * The documentation for language models: `llms.txt` lists the pages and `llms-full.txt` contains them. Links are relative to the
 * root of the repository, which has the same paths as the website. See https://llmstxt.org.
 */

interface Section {
  readonly title: string;
  readonly pages: readonly string[];
}

const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .sort(
      (one, other) => Number(other === "README.md") - Number(one === "README.md") || (one < other ? -1 : 1),
    )
    .map((name) => join(folder, name));

const readmesIn = (folder: string, names: readonly string[]): string[] =>
  names.map((name) => join(folder, name, "README.md")).filter((page) => existsSync(join(root, page)));

const sections = (): Section[] => [
  { title: "Quickstarts", pages: pagesIn("docs/quickstart") },
  { title: "Packages", pages: readmesIn("packages", [...packageFolders].sort()) },
  { title: "Guides", pages: [...pagesIn("docs/guides"), "docs/migration.md", "docs/glossary.md"] },
  { title: "Frameworks", pages: pagesIn("docs/frameworks") },
  {
    title: "Examples",
    pages: ["examples/README.md", ...readmesIn("examples", readdirSync(join(root, "examples")).sort())],
  },
  { title: "SDK reference", pages: pagesIn("docs/reference") },
  { title: "Command reference", pages: pagesIn("docs/cli") },
  { title: "Skill for coding agents", pages: ["skills/mgmt/SKILL.md"] },
  // The name says that these pages can be left out: https://llmstxt.org/#format
  {
    title: "Optional",
    pages: [
      "docs/why.md",
      "docs/compare.md",
      "docs/compare-cli.md",
      "docs/performance.md",
      "docs/support.md",
      "SECURITY.md",
      "docs/threat-model.md",
      "docs/architecture.md",
      "CONTRIBUTING.md",
    ],
  },
];

/** Returns the pages that `llms.txt` lists, as paths in the repository. */
export const llmsPages = (): string[] => sections().flatMap(({ pages }) => pages);

/** Returns the text of `llms.txt`. */
export const printLlmsIndex = (): string => {
  const lists = sections().map(({ title, pages }) =>
    [`## ${title}`, pages.map(linkTo).join("\n")].join("\n\n"),
  );
  return `${[...introduction(), ...lists].join("\n\n")}\n`;
};

/** Returns the text of `llms-full.txt`: the introduction and all pages. */
export const printLlmsFull = (): string => {
  const pages = llmsPages().map((page) => `<!-- ${page} -->\n\n${textOf(page)}`);
  return `${[...introduction(), ...pages].join("\n\n")}\n`;
};

/** The title and the description of the project: those of its README. */
const introduction = (): string[] => {
  const [title = "", description = ""] = textOf("README.md").split("\n\n");
  return [title, `> ${description.replaceAll("\n", " ")}`];
};

const linkTo = (page: string): string => {
  const { title, description } = describePage(page);
  return `- [${title}](${page})${description === "" ? "" : `: ${description}`}`;
};

/** Returns the title of a page, and its first sentence, which is empty if the page begins with something else. */
export const describePage = (page: string): { readonly title: string; readonly description: string } => {
  const text = textOf(page);
  const title = (/^# (.+)$/m.exec(text)?.[1] ?? page).replaceAll("`", "");
  return { title, description: descriptionIn(text) };
};

/** The start of a paragraph that many pages have. */
const unpublishedNote = "No version is published yet";

/** Returns the first sentence of the text between the title and the next heading. */
const descriptionIn = (text: string): string => {
  const [start = ""] = text.replaceAll(/^```[\s\S]*?^```$/gm, "").split(/^## /m);
  const paragraphs = start
    .split(/\n{2,}/)
    .filter((paragraph) => /^[\w`*[(]/.test(paragraph) && !paragraph.startsWith(unpublishedNote));
  const words = (paragraphs[0] ?? "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/\s+/g, " ");
  return /^.*?\.(?= [A-Z`]|$)/.exec(words)?.[0] ?? "";
};

const textOf = (page: string): string =>
  readFileSync(join(root, page), "utf8")
    .replaceAll(/^<!--.*-->\n+/gm, "")
    .trim();
