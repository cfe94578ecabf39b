import { expect, it } from "vitest";
import { pages } from "../docs/markdown.js";
import { type Page, type Step, readPage } from "./page.js";
import { isPrinted, onPort } from "./reader.js";
import { allRuns, followed, quickstartRuns, unfollowed } from "./runs.js";

const block = (language: string, text: string): string => `\n\`\`\`${language}\n${text}\n\`\`\`\n`;
const program = block("ts run", 'import { createClient } from "@mgmt/sdk";');
const install = block("sh install", "npm install @mgmt/sdk");
const read = (...markdown: string[]): Page => readPage("docs/quickstart/page.md", markdown.join("\n"));

it("reads blocks and sentences in the order of the page", () => {
  const { steps, faults, imports } = read(
    "This page continues [Quickstart: app](app.md).",
    ...[
      install,
      "With pnpm, this ends with `ERR`: then run `pnpm approve-builds`.",
      block("sh serve", "npx mgmt dev"),
    ],
    ...[program, "Save it as `a.mjs` in the\nfolder and run it with\n`node a.mjs`.", block("text", "shop")],
    ...["Save this as `b.mjs`, and run it with `node b.mjs`:", program],
    ...["Save each test as `c.test.ts`, and run each with `npx vitest`.", program.replace("run", "test")],
  );
  expect(faults).toEqual([]);
  expect(imports.at(-1)).toMatchObject({ name: "@mgmt/sdk" });
  expect(steps[0]).toMatchObject({ where: expect.stringContaining("docs/quickstart/app.md:") });
  const own = steps.filter(({ where }) => where.startsWith("docs/quickstart/page.md:"));
  expect(own).toMatchObject([
    { do: "run", command: "npm install @mgmt/sdk", remedy: "pnpm approve-builds" },
    { do: "serve", command: "npx mgmt dev" },
    { do: "save", file: "a.mjs", text: 'import { createClient } from "@mgmt/sdk";\n' },
    { do: "run", command: "node a.mjs" },
    { do: "expect", output: "shop\n" },
    { do: "save", file: "b.mjs" },
    { do: "run", command: "node b.mjs" },
    { do: "save", file: "c.test.ts" },
    { do: "run", command: "npx vitest" },
  ]);
});

it.each([
  ["The page gives this program no file name.", [program, "Have fun."]],
  ["The page does not say how to run a.mjs.", ["Save this as `a.mjs`:", program]],
  [
    "The page does not say what to run with the packages that it installs.",
    [install, program.replace(" run", "")],
  ],
  ["The page does not say which command ends so.", ["It ends with `ERR`: then run `pnpm approve-builds`."]],
  ["The page cannot continue gone.md.", ["This page continues [a page](gone.md)."]],
])("refuses a page: %s", (message, markdown) => {
  expect(read(...markdown).faults).toEqual([expect.stringContaining(message)]);
});

it("finds no fault on the quickstarts, guides, framework pages, and READMEs", () => {
  const readers = pages.filter((page) =>
    /^(?:docs\/(?:quickstart|frameworks|guides)|(?:examples|packages)\/[\w-]+)\//.test(page),
  );
  expect(readers.filter((page) => !followed.includes(page))).toEqual(Object.keys(unfollowed));
  expect(followed.flatMap((page) => readPage(page).faults)).toEqual([]);
});

it("follows every page on every version of Node.js, and the main pages with every package manager", () => {
  expect(allRuns().filter(({ manager }) => manager.startsWith("npm"))).toHaveLength(4 * followed.length);
  const app = allRuns().filter(({ page }) => page === "docs/quickstart/app.md");
  const managers = new Set(app.map(({ manager }) => manager));
  expect([...managers]).toEqual(["npm-11", "npm-10", "pnpm", "yarn-classic", "yarn-pnp", "bun"]);
  expect(quickstartRuns().length).toBe(pages.filter((page) => page.startsWith("docs/quickstart/")).length);
});

it("compares whole lines with what is printed, and takes … for anything", () => {
  const output = "\n Tests  2 passed (2)\n   Duration 2.1s\n";
  expect(isPrinted(output, "Tests  2 passed (2)\nDuration …\n")).toBe(true);
  expect(isPrinted(output, "Tests  2 passed")).toBe(false);
});

it("replaces the port that pages name, and the one of a service that names none", () => {
  const where = "page.md:1";
  const serve = (command: string): Step => ({ where, do: "serve", command });
  expect(onPort(serve("mgmt dev --port 4300"), "50123")).toEqual(serve("mgmt dev --port 50123"));
  expect(onPort(serve("mgmt dev"), "50123")).toEqual(serve("mgmt dev --port 50123"));
});
