import { basename, dirname } from "node:path/posix";
import { addressOf, linkedFrom, read, sourcePages } from "./sources.mjs";

/**
 * @typedef {{ text: string, link: string }} Item
 * @typedef {{ text: string, link?: string, collapsed?: boolean, items: Item[] }} Group
 */

const quickstarts = ["app", "terminal", "ci", "tests", "other-languages"].map(
  (name) => `docs/quickstart/${name}.md`,
);
const packages = ["sdk", "cli", "mock", "platform"];

/** The start of the title of a page, where the group says the same. */
const repeated = /^(?:Quickstart|Example): (.)/;

/**
 * Returns the title of a page as the sidebar shows it.
 * @param {string} page
 */
const titleOf = (page) => {
  const [, title = page] = /^# (.+)$/m.exec(read(page)) ?? [];
  return title.replaceAll("`", "").replace(repeated, (_, letter) => letter.toUpperCase());
};

/**
 * @param {string} page
 * @returns {Item}
 */
const linkTo = (page) => ({ text: titleOf(page), link: `/${addressOf(page)}` });

/**
 * @param {string} page
 * @param {string} text
 * @returns {Item}
 */
const linkAs = (page, text) => ({ ...linkTo(page), text });

/**
 * Returns a group that is closed until it is used. Its title leads to a page, because VitePress makes a title without a link a button
 * around a button, which assistive technology cannot use.
 * @param {string} text
 * @param {string[]} index
 * @param {string[]} pages
 * @returns {Group}
 */
const folded = (text, index, pages) => {
  const [page] = index;
  if (page === undefined) throw new Error(`The group "${text}" of the sidebar has no page of its own`);
  return { text, link: linkTo(page).link, collapsed: true, items: pages.map(linkTo) };
};

/**
 * Returns the groups of the sidebar. A page that no group names is in the group of its folder or, if it has none, in the last one,
 * so that every page can be reached.
 * @returns {Group[]}
 */
export const sidebar = () => {
  const rest = new Set(sourcePages());
  /** @param {string[]} pages */
  const take = (pages) => pages.filter((page) => rest.delete(page));
  /** @param {string} folder */
  const takeFolder = (folder) => take([...rest].filter((page) => dirname(page) === folder));

  const start = [
    linkAs("README.md", "Overview"),
    linkAs("docs/README.md", "Get started"),
    linkTo("docs/try-it.md"),
    linkTo("docs/why.md"),
    linkTo("docs/compare.md"),
    linkTo("docs/compare-cli.md"),
    linkTo("docs/performance.md"),
  ];
  take([
    "README.md",
    "docs/README.md",
    "docs/try-it.md",
    "docs/why.md",
    "docs/compare.md",
    "docs/compare-cli.md",
    "docs/performance.md",
  ]);
  const inOrder = linkedFrom("docs/README.md");
  const guides = takeFolder("docs/guides").sort(
    (one, other) => placeIn(inOrder, one) - placeIn(inOrder, other),
  );
  const named = [
    { text: "Start here", items: start },
    { text: "Quickstarts", items: take(quickstarts).map(linkTo) },
    { text: "Guides", items: [...guides, ...take(["docs/migration.md"])].map(linkTo) },
    { text: "Frameworks", items: takeFolder("docs/frameworks").map(linkTo) },
    {
      text: "Packages",
      items: take([...packages.map((name) => `packages/${name}/README.md`), "docs/mock.md"]).map(linkTo),
    },
    folded("Command reference", take(["docs/cli/README.md"]), takeFolder("docs/cli")),
    folded("API reference", take(["docs/reference/README.md"]), takeFolder("docs/reference")),
    folded(
      "Examples",
      take(["examples/README.md"]),
      take([...rest].filter((page) => page.startsWith("examples/"))),
    ),
    {
      text: "Changelog",
      items: take(packages.map((name) => `packages/${name}/CHANGELOG.md`)).map(linkTo),
    },
  ];
  const others = [...new Set([...rest].map(dirname))]
    .filter((folder) => folder !== "." && folder !== "docs")
    .map((folder) => ({ text: nameOf(folder), items: takeFolder(folder).map(linkTo) }));
  return [...named, ...others, { text: "More", items: take([...rest]).map(linkTo) }];
};

/**
 * Returns the place of a page in a list; pages that are not in it come last.
 * @param {string[]} list
 * @param {string} page
 */
const placeIn = (list, page) => (list.includes(page) ? list.indexOf(page) : list.length);

/**
 * Returns the name of a group of pages, such as `How to` for `docs/how-to`.
 * @param {string} folder
 */
const nameOf = (folder) => {
  const words = basename(folder).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
