import { pages } from "../docs/markdown.js";
import { type ManagerName, managerNames } from "./managers.js";
import { readPage } from "./page.js";

/** Versions of Node.js that are tested, each with the npm that it comes with; `current` is the one that runs this. */
const npmOf = {
  // `npm install vitest` alone crashes npm 10 there, for it cannot choose an older Vitest that supports Node.js 20.
  20: "npm-11",
  22: "npm-10",
  24: "npm-11",
  26: "npm-11",
  current: "npm",
} as const;
export type NodeName = keyof typeof npmOf;

/** One page, followed with one version of Node.js and one package manager. */
export interface Run {
  page: string;
  node: NodeName;
  manager: ManagerName;
}

/** Pages that nobody can follow here, each with what it needs. */
export const unfollowed: Readonly<Record<string, string>> = {
  "examples/test-databases-prisma/README.md": "a program that is downloaded from a host of its own",
  "examples/test-databases-python/README.md": "Python",
  "examples/vitest-browser/README.md": "a browser that is downloaded from a host of its own",
  "docs/guides/browser.md": "a web page",
  "docs/guides/docker.md": "Docker",
  "docs/guides/serve.md": "a Postgres server that somebody operates",
};

/** Pages that users read, and that have something to install or to run. */
export const followed: string[] = pages
  .filter((page) =>
    /^(?:README\.md|docs\/(?:quickstart|frameworks|guides)\/|(?:examples|packages)\/[\w-]+\/)/.test(page),
  )
  .filter((page) => !(page in unfollowed))
  .filter((page) => readPage(page).steps.some((step) => step.do === "run"));

/** Pages that readers follow with every package manager; the others have no commands that these do not have. */
const main = ["app", "terminal", "tests", "ci"].map((name) => `docs/quickstart/${name}.md`);

/** Every page on every version of Node.js with its npm, and the main pages with every other package manager. */
export const allRuns = (): Run[] => [
  ...followed.flatMap((page) =>
    ([20, 22, 24, 26] as const).map((node): Run => ({ page, node, manager: npmOf[node] })),
  ),
  ...main.flatMap((page) =>
    managerNames
      // Yarn with Plug'n'Play installs nothing globally.
      .filter((name) => !name.startsWith("npm") && !(name === "yarn-pnp" && page.includes("terminal")))
      .map((manager): Run => ({ page, node: 24, manager })),
  ),
];

/** Every quickstart, with the Node.js that runs this, and with its npm. */
export const quickstartRuns = (): Run[] =>
  followed
    .filter((page) => page.startsWith("docs/quickstart/"))
    .map((page) => ({ page, node: "current", manager: "npm" }));
