import { pages } from "../docs/markdown.js";
import { type ManagerName, managers } from "./managers.js";
import { readPage } from "./page.js";
import { type NodeName, nodes } from "./toolchain.js";

/** One page, followed with one version of Node.js and one package manager. */
export interface Run {
  page: string;
  node: NodeName;
  manager: ManagerName;
}

export const isSameRun = (one: Run, other: Run): boolean =>
  one.page === other.page && one.node === other.node && one.manager === other.manager;

/** Pages that nobody can follow here, each with what it needs. */
export const unfollowed: Readonly<Record<string, string>> = {
  "examples/vitest-browser/README.md": "a browser that is downloaded from a host of its own",
  "docs/guides/browser.md": "a web page",
  "docs/guides/docker.md": "Docker",
};

/** Pages that users read, and that have something to install or to run. */
export const followed: string[] = pages
  .filter((page) =>
    /^(?:README\.md|docs\/(?:quickstart|frameworks|guides)\/|(?:examples|packages)\/[\w-]+\/)/.test(page),
  )
  .filter((page) => !(page in unfollowed))
  .filter((page) => {
    const { steps, faults } = readPage(page);
    return steps.some((step) => step.do === "run") || faults.length > 0;
  });

/** Pages that readers follow with every package manager; the others have no commands that these do not have. */
const main = ["app", "terminal", "tests", "ci"].map((name) => `docs/quickstart/${name}.md`);

/** Yarn with Plug'n'Play installs nothing globally. */
const needsGlobals = ["docs/quickstart/terminal.md"];

/**
 * The npm that each version of Node.js comes with, but a newer one for Node.js 20: there, `npm install vitest` alone crashes npm 10, for
 * it cannot choose an older Vitest that supports Node.js 20.
 */
const npmOf = { 20: "npm-11", 22: "npm-10", 24: "npm-11", 26: "npm-11" } as const;

/** Every page on every version of Node.js with its npm, and the main pages with every other package manager. */
export const fullMatrix = (): Run[] => [
  ...followed.flatMap((page) => nodes.map((node): Run => ({ page, node, manager: npmOf[node] }))),
  ...main.flatMap((page) =>
    // Keys of a constant object are its names.
    (Object.keys(managers) as ManagerName[])
      .filter((manager) => !manager.startsWith("npm"))
      .filter((manager) => !(manager === "yarn-pnp" && needsGlobals.includes(page)))
      .map((manager): Run => ({ page, node: "24", manager })),
  ),
];

/** Every quickstart, with the Node.js that runs this, and with its npm. */
export const quickstarts = (): Run[] =>
  followed
    .filter((page) => page.startsWith("docs/quickstart/"))
    .map((page) => ({ page, node: "current", manager: "npm" }));

export interface Choice {
  page: readonly string[];
  node: readonly string[];
  manager: readonly string[];
}

/** Returns the runs of a choice. */
export const narrow = (runs: readonly Run[], { page, node, manager }: Choice): Run[] => {
  const isChosen = (choice: readonly string[], value: string): boolean =>
    choice.length === 0 || choice.includes(value);
  const onPages = runs.filter((run) => page.length === 0 || page.some((part) => run.page.includes(part)));
  return onPages.filter((run) => isChosen(node, run.node) && isChosen(manager, run.manager));
};

/** Returns the combinations of a version of Node.js and a package manager that runs have, each once. */
export const toolchainsOf = (runs: readonly Run[]): Omit<Run, "page">[] => [
  ...new Map(runs.map(({ node, manager }) => [`${node} ${manager}`, { node, manager }])).values(),
];
