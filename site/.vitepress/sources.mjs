import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const repository = "https://github.com/mgmt-sdk/mgmt";

/**
 * Returns the text of a file of the repository.
 * @param {string} path
 */
export const read = (path) => readFileSync(join(root, path), "utf8");

/**
 * @param {string} folder
 * @returns {string[]}
 */
const pagesBelow = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name.replaceAll("\\", "/")))
    .filter((path) => path.endsWith(".md"));

/**
 * @param {string} folder
 * @param {string} file
 * @returns {string[]}
 */
const inEach = (folder, file) =>
  readdirSync(join(root, folder))
    .map((name) => join(folder, name, file))
    .filter((path) => existsSync(join(root, path)));

/** Returns the pages of the repository that the website has, sorted, each with its path in the repository. */
export const sourcePages = () =>
  [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "examples/README.md",
    ...pagesBelow("docs"),
    ...inEach("packages", "README.md"),
    ...inEach("packages", "CHANGELOG.md"),
    ...inEach("examples", "README.md"),
  ].sort();

/**
 * Returns the path of a page on the website, such as `docs/` for `docs/README.md`. The README of the repository is the overview,
 * because the website has a home page of its own.
 * @param {string} page
 */
export const addressOf = (page) => (page === "README.md" ? "overview" : page.replace(/(?:README)?\.md$/, ""));

/**
 * Returns the pages that a page links to, in the order of the links.
 * @param {string} page
 */
export const linkedFrom = (page) =>
  [...read(page).matchAll(/\]\(([^)\s#]+\.md)[^)\s]*\)/g)].map(([, target = ""]) =>
    join(dirname(page), target),
  );
